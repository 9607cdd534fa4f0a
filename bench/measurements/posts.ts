import type { Bench } from '../bench.js'
import type { Figure } from '../figure.js'
import { batchPlan, INDEX_TAIL, subscribe } from '../ledger-calls.js'
import type { LoadPlan, LoadResult } from '../load-plan.js'
import { prepareLoad, type RunningServer, runLoad, startLedger, startYardstick } from '../programs.js'

const YARDSTICK_EVENTS = 20_000
/** More than a ledger records here. Above this rate, events would be prepared while measuring. */
const EXPECTED_RATE = 20_000
const P99_GOAL_MS: Record<Connections, number> = { 64: 60, 256: 150 }
type Connections = 64 | 256

/** One new event a POST, compared with a polka route that parses the same JSON and answers. */
export async function measurePosts(bench: Bench): Promise<Figure[]> {
  const yardstick = await startYardstick(bench.workspace)
  const figures: Figure[] = []
  for (const connections of [64, 256] as const) {
    bench.progress(`one event a POST, ${connections} connections`)
    const plain = await yardstickRate(bench, yardstick, connections)
    const result = await measureFresh(bench, connections)
    const plainAgain = await yardstickRate(bench, yardstick, connections)
    figures.push(...toFigures('one new event a POST', connections, result, (plain + plainAgain) / 2))
    const rateAt64 = bench.postRates.get(64)
    if (connections === 256 && rateAt64 !== undefined) figures.push(noSlower(result.rate, rateAt64))
    bench.postRates.set(connections, result.rate)
    if (bench.options.quick) continue
    bench.progress(`the same, with the search index as far behind as it gets`)
    const behind = await measureBehind(bench, connections)
    const plainAtLast = await yardstickRate(bench, yardstick, connections)
    const what = 'same after a long burst, the search index catching up'
    figures.push(...toFigures(what, connections, behind, (plainAgain + plainAtLast) / 2))
  }
  await yardstick.stop()
  return figures
}

/** Single posts to a new ledger with 100 subscriptions. @param settings such as `EVENT_DB` */
export async function measureFresh(
  bench: Bench,
  connections: number,
  settings: Record<string, string> = {},
): Promise<LoadResult> {
  const server = await startWatched(bench, settings)
  const result = await runLoad(bench.workspace, eventsPlan(bench, server.port, connections))
  await server.stop()
  return result
}

/** Single posts directly after a burst, before the search index has had time to catch up. */
async function measureBehind(bench: Bench, connections: number): Promise<LoadResult> {
  const server = await startWatched(bench)
  const posts = await prepareLoad(bench.workspace, eventsPlan(bench, server.port, connections))
  await runLoad(bench.workspace, batchPlan(server.port, { first: 1_000_000_000, events: INDEX_TAIL }))
  const result = await posts.run()
  await server.stop()
  return result
}

async function startWatched({ workspace }: Bench, settings: Record<string, string> = {}): Promise<RunningServer> {
  const server = await startLedger(workspace, await workspace.folder('posts'), settings)
  await subscribe(workspace, server.port, { which: 'watching', count: 100 })
  return server
}

/** @param first number of the first event; its events must be new */
export function eventsPlan({ options }: Bench, port: number, connections: number, first = 0): LoadPlan {
  const { warmupMs, measureMs } = options
  const prepare = Math.round((EXPECTED_RATE * (warmupMs + measureMs)) / 1_000)
  const work = { kind: 'events', first } as const
  return { port, connections, work, requests: 100 * prepare, prepare, warmupMs, measureMs }
}

async function yardstickRate({ options, workspace }: Bench, { port }: RunningServer, connections: number) {
  const { rate } = await runLoad(workspace, {
    port,
    connections,
    requests: 10_000_000,
    prepare: YARDSTICK_EVENTS,
    work: { kind: 'repeats', first: 0, count: YARDSTICK_EVENTS },
    warmupMs: options.warmupMs,
    measureMs: options.measureMs / 2,
  })
  return rate
}

function toFigures(what: string, connections: Connections, result: LoadResult, plainRate: number): Figure[] {
  const { p99 } = result.times
  return [
    {
      what: `${what}, ${connections} connections`,
      value: result.rate,
      unit: 'events/s',
      details: result,
      yardstick: { what: 'polka that parses and answers', value: plainRate, unit: 'requests/s' },
      goal: { atLeastTimes: 0.4 },
    },
    {
      what: `${what}, ${connections} connections: p99`,
      value: p99,
      unit: 'ms',
      goal: { atMost: P99_GOAL_MS[connections] },
    },
  ]
}

function noSlower(value: number, at64: number): Figure {
  return {
    what: 'one new event a POST, 256 connections: no slower',
    value,
    unit: 'events/s',
    yardstick: { what: '64 connections', value: at64, unit: 'events/s' },
    // Two equal runs differ by this much.
    goal: { within: 0.05 },
  }
}
