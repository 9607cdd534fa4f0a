import type { Bench } from '../bench.js'
import type { Figure } from '../figure.js'
import { subscribe } from '../ledger-calls.js'
import type { LoadPlan } from '../load-plan.js'
import { type RunningServer, runLoad, startLedger } from '../programs.js'
import { median } from '../statistics.js'

const FEW = 10
const CONNECTIONS = 64
const EXPECTED_RATE = 20_000

/**
 * The rate of single posts with few and with many subscriptions. Events match the same few of them. The two servers
 * take turns, so that other load of the machine affects both.
 */
export async function measureSubscriptions(bench: Bench): Promise<Figure[]> {
  const { options, progress } = bench
  const many = options.quick ? 5_000 : 100_000
  const rounds = options.quick ? 2 : 5
  progress(`saving ${many} subscriptions`)
  const withFew = await startWith(bench, 0)
  const withMany = await startWith(bench, many - FEW)
  const rates: { few: number[]; many: number[] } = { few: [], many: [] }
  for (let round = 0; round < rounds; round++) {
    progress(`one event a POST, ${FEW} and ${many} subscriptions, round ${round + 1} of ${rounds}`)
    rates.few.push(await rateOf(bench, withFew, round))
    rates.many.push(await rateOf(bench, withMany, round))
  }
  await Promise.all([withFew.stop(), withMany.stop()])
  return [
    {
      what: `one new event a POST, ${many} subscriptions`,
      value: median(rates.many),
      unit: 'events/s',
      yardstick: { what: `${FEW} subscriptions`, value: median(rates.few), unit: 'events/s' },
      goal: { within: 0.1 },
      details: rates,
    },
  ]
}

async function startWith({ workspace }: Bench, idle: number): Promise<RunningServer> {
  const settings = { EVENT_MAX_SUBSCRIPTIONS: '1000000' }
  const server = await startLedger(workspace, await workspace.folder('subscriptions'), settings)
  await subscribe(workspace, server.port, { which: 'watching', count: FEW })
  if (idle > 0) await subscribe(workspace, server.port, { which: 'idle', count: idle })
  return server
}

async function rateOf({ options, workspace }: Bench, { port }: RunningServer, round: number): Promise<number> {
  const warmupMs = options.warmupMs / 4
  const measureMs = options.measureMs / 2
  const prepare = Math.round((EXPECTED_RATE * (warmupMs + measureMs)) / 1_000)
  const plan: LoadPlan = {
    port,
    connections: CONNECTIONS,
    requests: 100 * prepare,
    prepare,
    warmupMs,
    measureMs,
    work: { kind: 'events', first: round * 10_000_000 },
  }
  const { rate } = await runLoad(workspace, plan)
  return rate
}
