import { readSearch } from '../../src/model/events/search.js'
import type { Bench } from '../bench.js'
import type { Figure } from '../figure.js'
import { search, searchPath, settle } from '../ledger-calls.js'
import { likeScan } from '../like-scan.js'
import type { LoadPlan, LoadResult } from '../load-plan.js'
import { type RunningServer, runLoad, startLedger } from '../programs.js'
import { SEARCHED } from '../words.js'

export interface Search {
  what: string
  text: string
}

export const SEARCHES: readonly Search[] = [
  { what: 'a rare word', text: SEARCHED.rare },
  { what: 'a common word', text: SEARCHED.common },
  { what: 'a phrase', text: `"${SEARCHED.phrase}"` },
  { what: 'two words', text: `${SEARCHED.common} yesterday` },
  { what: 'nothing found', text: SEARCHED.never },
  { what: 'nothing found, of common parts', text: SEARCHED.neverOfCommonParts },
  { what: 'two CJK characters', text: SEARCHED.twoCharacters },
  { what: 'two CJK characters, nothing found', text: SEARCHED.twoCharactersNever },
]
const P95_GOAL_MS = 15
/** A scan of more events is so long that the noise of the system does not matter. */
const LIKE_ONCE = 2_000_000
const POST_GOAL_MS = 50
const READING = { connections: 1, warmupMs: 0, prepare: 1 } as const

/** Text search in the large ledger compared with a LIKE scan, and posts while the slowest search runs. */
export async function measureSearch(bench: Bench): Promise<Figure[]> {
  const { workspace, largeLedger, options, progress } = bench
  const { folder, events } = await largeLedger.get()
  const server = await startLedger(workspace, folder)
  await settle(server.port, progress)
  const seen: (Search & { found: number; result: LoadResult })[] = []
  for (const { what, text } of SEARCHES) {
    progress(`searching for ${what}`)
    const found = await search(server.port, text)
    seen.push({ what, text, found, result: await runLoad(workspace, searchPlan(server, text, options.quick)) })
  }
  const [slowest] = seen.toSorted((left, right) => right.result.times.p95 - left.result.times.p95)
  if (!slowest) throw new Error('Nothing was searched for.')
  const posts = await postWhileSearching(bench, server, slowest)
  await server.stop()

  const runs = options.quick || events > LIKE_ONCE ? 1 : 3
  progress(`looking for the same with LIKE, ${runs} times each`)
  const scans = likeScan(
    folder,
    seen.map(({ text }) => readSearch('q', text)),
    runs,
  )
  return [
    ...seen.map(({ what, text, found, result }, index): Figure => {
      const { p50, p95, max } = result.times
      const isPromised = [...text].length >= 3
      return {
        ...{ what: `q, ${what}, ${events} events: p95`, value: p95, unit: 'ms' },
        yardstick: { what: 'LIKE scan', value: scans[index] ?? 0, unit: 'ms' },
        ...(isPromised ? { goal: { atMost: P95_GOAL_MS } } : {}),
        details: { p50, p95, max, found, runs: result.answered },
      }
    }),
    ...posts,
  ]
}

export function searchPlan({ port }: RunningServer, text: string, quick: boolean): LoadPlan {
  const work = { kind: 'reads', paths: [searchPath(text)] } as const
  return { port, ...READING, work, requests: quick ? 40 : 300, measureMs: quick ? 10_000 : 120_000 }
}

/** A few writers while one searcher never rests. */
async function postWhileSearching(bench: Bench, { port }: RunningServer, { what, text }: Search): Promise<Figure[]> {
  const { workspace, options, progress } = bench
  progress(`posting during searches for ${what}`)
  const searching = runLoad(workspace, {
    ...{ port, ...READING, requests: 1_000_000, measureMs: options.measureMs },
    work: { kind: 'reads', paths: [searchPath(text)] },
  })
  const posting = runLoad(workspace, {
    ...{ port, connections: 2, warmupMs: 0, requests: 1_000_000, prepare: 1_000, pauseMs: 20 },
    // A kept ledger has seen the events of earlier runs.
    work: { kind: 'events', first: Date.now() * 1_000 },
    measureMs: options.measureMs,
  })
  const [searched, posted] = await Promise.all([searching, posting])
  const { p99, max } = posted.times
  const name = `POST during a search (${what})`
  const details = { posted, searched }
  return [
    { what: `${name}: p99`, value: p99, unit: 'ms', goal: { atMost: POST_GOAL_MS }, details },
    { what: `${name}: the slowest`, value: max, unit: 'ms', goal: { atMost: POST_GOAL_MS } },
  ]
}
