import { cp, rm } from 'node:fs/promises'
import { readSearch } from '../../src/model/events/search.js'
import type { Bench } from '../bench.js'
import type { Figure } from '../figure.js'
import { BATCH_CONNECTIONS, BATCH_EVENTS, eventsPath, search, searchPath, settle } from '../ledger-calls.js'
import { likeScan } from '../like-scan.js'
import type { LoadPlan, LoadResult } from '../load-plan.js'
import { type RunningServer, runLoad, startLedger } from '../programs.js'
import { SEARCHED } from '../words.js'

interface Search {
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
/** Filters, with their names in the report. Event 77 is near the old end of the ledger. */
const FILTERS: readonly { what: string; filter: Readonly<Record<string, string>> }[] = [
  { what: 'subject_id', filter: { subject_id: '77' } },
  { what: 'target', filter: { target: 'message:78' } },
  { what: 'actor', filter: { actor: 'Ada Abe' } },
  { what: 'actor, nothing found', filter: { actor: 'Zacharias' } },
  { what: 'outcome, nothing found', filter: { outcome: 'failed' } },
  { what: 'actor, kind and a common word', filter: { actor: 'Ada Abe', kind: 'pull_request.*', q: SEARCHED.common } },
  { what: 'without a source and a kind', filter: { exclude_source: 'chat', exclude_kind: 'pull_request.merged' } },
]
/** Searches that are also measured while batches are recorded. */
const BUSY = ['a rare word', 'nothing found', 'subject_id']
/** Longer than the writers need to bring the index as far behind as it gets. */
const BUSY_WARM_UP_MS = 15_000
const P95_GOAL_MS = 15
const FILTER_GOAL_MS = 20
const SHORT_GOAL_MS = 100
/** Above `LARGE` events. */
const LARGE = { events: 1_000_000, goalMs: 1_000 }
/** With more events, scans run only once: they take so long that the noise of the system does not matter. */
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
  const filters = await measureFilters(bench, server, events)
  const posts = await postWhileSearching(bench, server, slowest)
  await server.stop()

  const runs = options.quick || events > LIKE_ONCE ? 1 : 3
  progress(`looking for the same with LIKE, ${runs} times each`)
  const scans = likeScan(
    folder,
    seen.map(({ text }) => readSearch('q', text)),
    runs,
  )
  const busy = await measureWhileRecording(bench, folder)
  return [
    ...seen.map(({ what, text, found, result }, index): Figure => {
      const { p50, p95, max } = result.times
      const goalMs = events > LARGE.events ? LARGE.goalMs : [...text].length < 3 ? SHORT_GOAL_MS : P95_GOAL_MS
      return {
        what: `q, ${what}, ${events} events: p95`,
        value: p95,
        unit: 'ms',
        yardstick: { what: 'LIKE scan', value: scans[index] ?? 0, unit: 'ms' },
        goal: { atMost: goalMs },
        details: { p50, p95, max, found, runs: result.answered },
      }
    }),
    ...filters,
    ...posts,
    ...busy,
  ]
}

async function measureFilters({ workspace, options, progress }: Bench, server: RunningServer, events: number) {
  const figures: Figure[] = []
  for (const { what, filter } of FILTERS) {
    progress(`filtering by ${what}`)
    const { answered, times } = await runLoad(workspace, readPlan(server, eventsPath(filter), options.quick))
    const isByKey = 'subject_id' in filter || 'target' in filter || ('actor' in filter && !('q' in filter))
    const goalMs = isByKey ? FILTER_GOAL_MS : events > LARGE.events ? LARGE.goalMs : SHORT_GOAL_MS
    figures.push({
      what: `filter ${what}, ${events} events: p95`,
      value: times.p95,
      unit: 'ms',
      goal: { atMost: goalMs },
      details: { ...times, runs: answered },
    })
  }
  return figures
}

/** Searches and filters while writers send batches without a pause, and the index is as far behind as it gets. */
async function measureWhileRecording({ workspace, options, progress }: Bench, folder: string): Promise<Figure[]> {
  // Other measurements need the large ledger with the events that it has.
  const copy = await workspace.folder('recorded-and-searched')
  progress('copying the ledger')
  await cp(folder, copy, { recursive: true })
  const server = await startLedger(workspace, copy)
  const { port } = server
  const paths = [
    ...SEARCHES.map(({ what, text }) => ({ what, path: searchPath(text) })),
    ...FILTERS.map(({ what, filter }) => ({ what, path: eventsPath(filter) })),
  ].filter(({ what }) => BUSY.includes(what))
  const figures: Figure[] = []
  for (const { what, path } of paths) {
    progress(`looking for ${what} while batches of ${BATCH_EVENTS} are recorded`)
    const measureMs = options.measureMs + BUSY_WARM_UP_MS
    const recording = runLoad(workspace, {
      port,
      connections: BATCH_CONNECTIONS,
      requests: 1_000_000,
      prepare: 0,
      warmupMs: 0,
      measureMs,
      work: { kind: 'batches', first: Date.now() * 1_000, size: BATCH_EVENTS },
    })
    const looking = runLoad(workspace, {
      port,
      ...READING,
      requests: 1_000_000,
      warmupMs: BUSY_WARM_UP_MS,
      measureMs: options.measureMs,
      work: { kind: 'reads', paths: [path] },
    })
    const [recorded, { times }] = await Promise.all([recording, looking])
    const details = { ...times, recordedPerSecond: recorded.rate * BATCH_EVENTS }
    figures.push({ what: `${what}, while batches are recorded: p95`, value: times.p95, unit: 'ms', details })
  }
  await server.stop()
  await rm(copy, { recursive: true })
  return figures
}

export function searchPlan(server: RunningServer, text: string, quick: boolean): LoadPlan {
  return readPlan(server, searchPath(text), quick)
}

function readPlan({ port }: RunningServer, path: string, quick: boolean): LoadPlan {
  const work = { kind: 'reads', paths: [path] } as const
  return { port, ...READING, work, requests: quick ? 40 : 300, measureMs: quick ? 10_000 : 120_000 }
}

/** A few writers, while one client searches without pauses. */
async function postWhileSearching(bench: Bench, { port }: RunningServer, { what, text }: Search): Promise<Figure[]> {
  const { workspace, options, progress } = bench
  progress(`posting during searches for ${what}`)
  const searching = runLoad(workspace, {
    port,
    ...READING,
    requests: 1_000_000,
    measureMs: options.measureMs,
    work: { kind: 'reads', paths: [searchPath(text)] },
  })
  const posting = runLoad(workspace, {
    port,
    connections: 2,
    warmupMs: 0,
    requests: 1_000_000,
    prepare: 1_000,
    pauseMs: 20,
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
