import type { Bench } from '../bench.js'
import type { Figure } from '../figure.js'

/** The rate of the last events of the large ledger, compared with early ones; of a kept ledger, when it was filled. */
export async function measureGrowth({ largeLedger }: Bench): Promise<Figure[]> {
  const { events, growth, wasKept } = await largeLedger.get()
  const how = wasKept ? 'in batches, when the kept ledger was filled' : 'in batches'
  const last = (yardstick: string, value: number): Figure => ({
    what: `the last 10,000 of ${events} events, ${how}`,
    value: growth.late,
    unit: 'events/s',
    yardstick: { what: yardstick, value, unit: 'events/s' },
    goal: { within: 0.15 },
    details: growth,
  })
  return [
    last('the 10,000th to the 20,000th', growth.early),
    ...(growth.earlyBehind === undefined
      ? []
      : [last('10,000 as soon as each write pays for the search index', growth.earlyBehind)]),
    { what: `all ${events} events, ${how}`, value: growth.whole, unit: 'events/s' },
  ]
}
