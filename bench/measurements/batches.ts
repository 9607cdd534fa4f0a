import type { Bench } from '../bench.js'
import { rateBetween } from '../event-rate.js'
import type { Figure } from '../figure.js'
import { BATCH_CONNECTIONS, BATCH_EVENTS, batchPlan, INDEX_TAIL, search, subscribe } from '../ledger-calls.js'
import { runLoad, startLedger } from '../programs.js'
import { recordInLoop } from '../store-loop.js'
import { SEARCHED } from '../words.js'

interface Span {
  from: number
  to: number
}

/** NDJSON batches over HTTP, compared with a loop over the store: at first, and while the search index catches up. */
export async function measureBatches(bench: Bench): Promise<Figure[]> {
  const { workspace, options, progress } = bench
  const burst: Span = options.quick ? { from: 10_000, to: 40_000 } : { from: 10_000, to: 190_000 }
  const steady: Span | undefined = options.quick ? undefined : { from: INDEX_TAIL, to: INDEX_TAIL + 220_000 }
  const events = (steady ?? burst).to

  progress(`NDJSON batches of ${BATCH_EVENTS}`)
  const server = await startLedger(workspace, await workspace.folder('batches'))
  await subscribe(workspace, server.port, { which: 'watching', count: 100 })
  const plan = batchPlan(server.port, { first: 0, events })
  const { marks = [] } = await runLoad(workspace, { ...plan, prepare: plan.requests })
  const searchedAt = performance.now()
  await search(server.port, SEARCHED.rare)
  const searchMs = performance.now() - searchedAt
  await server.stop()

  progress('the same, the store alone in a loop')
  const loopMarks = await recordInLoop(await workspace.folder('store'), {
    batches: plan.requests,
    size: BATCH_EVENTS,
    inProgress: BATCH_CONNECTIONS,
  })
  const figure = (what: string, span: Span): Figure => ({
    what,
    value: rateBetween(marks, { ...span, eventsEach: BATCH_EVENTS }),
    unit: 'events/s',
    yardstick: {
      what: 'the store alone',
      value: rateBetween(loopMarks, { ...span, eventsEach: BATCH_EVENTS }),
      unit: 'events/s',
    },
    goal: { atLeast: 20_000 },
  })
  return [
    figure(`NDJSON batches of ${BATCH_EVENTS}`, burst),
    ...(steady ? [figure('same after a long burst, the search index catching up', steady)] : []),
    { what: `q, a rare word, straight after a burst of ${events} events`, value: searchMs, unit: 'ms' },
  ]
}
