import { readSearch } from '../../src/model/events/search.js'
import type { Bench } from '../bench.js'
import { rateBetween } from '../event-rate.js'
import type { Figure } from '../figure.js'
import { BATCH_EVENTS, batchPlan, search, subscribe } from '../ledger-calls.js'
import { findPostgres, PostgresCluster } from '../postgres-cluster.js'
import { type RunningServer, runLoad, runWalk, startLedger } from '../programs.js'
import { median } from '../statistics.js'
import { BEGINNING } from '../walk-plan.js'
import { eventsPlan } from './posts.js'
import { SEARCHES, searchPlan } from './search.js'

const WINDOW = 10_000
const LIMIT = 500
const SERVERS = 3
const CONNECTIONS = 64
const ROUNDS = 3
const P95_GOAL_MS = 50
/** Number of the first posted event, beyond those that fill the ledger. */
const FIRST_POST = 2_000_000_000

/** A large ledger in PostgreSQL: how fast it grows, is read and is searched, and the rate of three servers. */
export async function measureLargePostgres(bench: Bench): Promise<Figure[]> {
  const { workspace, options, progress } = bench
  const programs = findPostgres(process.env.PATH ?? '')
  if (programs === undefined) {
    progress('no programs of a PostgreSQL server on this machine: not measured')
    return []
  }
  const cluster = await PostgresCluster.start(workspace, programs)
  const start = async () =>
    startLedger(workspace, await workspace.folder('postgres'), { EVENT_DB: cluster.address, EVENT_DB_POOL: '10' })
  const server = await start()
  const { events } = options
  progress(`filling a ledger in PostgreSQL with ${events} events`)
  await subscribe(workspace, server.port, { which: 'watching', count: 100 })
  const { marks = [] } = await runLoad(workspace, batchPlan(server.port, { first: 0, events }))
  const rate = (from: number, to: number) => rateBetween(marks, { from, to, eventsEach: BATCH_EVENTS })
  await cluster.sql('ANALYZE')
  const growth: Figure[] = [
    {
      what: `PostgreSQL: NDJSON batches of ${BATCH_EVENTS}, ${events} events`,
      value: rate(0, events),
      unit: 'events/s',
      goal: { atLeast: 15_000 },
    },
    {
      what: `PostgreSQL: the last 10,000 of ${events} events, in batches`,
      value: rate(events - WINDOW, events),
      unit: 'events/s',
      yardstick: { what: 'the 10,000th to the 20,000th', value: rate(WINDOW, 2 * WINDOW), unit: 'events/s' },
      goal: { within: 0.15 },
    },
  ]
  const figures = [...growth, ...(await pageFigures(bench, server)), ...(await searchFigures(bench, cluster, server))]
  const others = await Promise.all(Array.from({ length: SERVERS - 1 }, start))
  figures.push(await severalServers(bench, [server, ...others]))
  for (const running of [server, ...others]) await running.stop()
  await cluster.stop()
  return figures
}

async function pageFigures({ options, workspace, progress }: Bench, { port }: RunningServer): Promise<Figure[]> {
  const { events } = options
  const pages = Math.floor(events / LIMIT)
  const walks = []
  for (let round = 0; round < 2; round++) {
    progress(`reading ${events} events in pages of ${LIMIT}, round ${round + 1}`)
    walks.push(await runWalk(workspace, { port, limit: LIMIT, readers: [{ since: BEGINNING, pages }] }))
  }
  // The first walk reads the tables into memory.
  const walk = walks[1]
  const times = walk?.readers[0]?.times ?? []
  const pageMs = (from: number, to: number) => median(times.slice(Math.floor(from * pages), Math.ceil(to * pages)))
  const start = { what: 'at the start', value: pageMs(0, 0.1), unit: 'ms' } as const
  const place = (where: string, value: number): Figure => {
    const what = `PostgreSQL: a page of ${LIMIT} ${where} of ${events} events: p50`
    return { what, value, unit: 'ms', yardstick: start, goal: { within: 0.15 } }
  }
  return [
    {
      what: `PostgreSQL: pages of ${LIMIT} by since`,
      value: walk ? walk.events / walk.seconds : 0,
      unit: 'events/s',
      goal: { atLeast: 100_000 },
    },
    place('in the middle', pageMs(0.45, 0.55)),
    place('at the end', pageMs(0.9, 1)),
  ]
}

async function searchFigures(bench: Bench, cluster: PostgresCluster, server: RunningServer): Promise<Figure[]> {
  const { options, workspace, progress } = bench
  const figures: Figure[] = []
  for (const { what, text } of SEARCHES) {
    progress(`searching PostgreSQL for ${what}`)
    const found = await search(server.port, text)
    const { times, answered } = await runLoad(workspace, searchPlan(server, text, options.quick))
    figures.push({
      what: `PostgreSQL: q, ${what}, ${options.events} events: p95`,
      value: times.p95,
      unit: 'ms',
      yardstick: { what: 'ILIKE scan', value: await scanMs(cluster, readSearch('q', text)), unit: 'ms' },
      ...([...text].length >= 3 ? { goal: { atMost: P95_GOAL_MS } } : {}),
      details: { ...times, found, runs: answered },
    })
  }
  return figures
}

/** Time of the database server to find, without an index, the newest 100 events that contain all terms. */
async function scanMs(cluster: PostgresCluster, terms: readonly string[]): Promise<number> {
  const conditions = terms.map(term => `body ILIKE '%${term.replaceAll("'", "''")}%'`).join(' AND ')
  const scan = `SELECT body FROM daybook.events WHERE ${conditions} ORDER BY captured_us DESC LIMIT 100`
  const printed = await cluster.sql(`EXPLAIN (ANALYZE, TIMING OFF) ${scan}`)
  return Number(/Execution Time: ([\d.]+) ms/.exec(printed)?.[1])
}

/** One event a POST, with the same number of connections to one server and to several, alternately. */
async function severalServers(bench: Bench, servers: readonly RunningServer[]): Promise<Figure> {
  const { workspace, progress } = bench
  const rates: { one: number[]; several: number[] } = { one: [], several: [] }
  let first = FIRST_POST
  const load = (server: RunningServer, connections: number) => {
    first += 100_000_000
    return runLoad(workspace, eventsPlan(bench, server.port, connections, first))
  }
  const [alone] = servers
  if (!alone) throw new Error('There is no server.')
  const share = Math.floor(CONNECTIONS / servers.length)
  for (let round = 1; round <= ROUNDS; round++) {
    progress(`one event a POST, ${CONNECTIONS} connections to one server and to ${servers.length}, round ${round}`)
    rates.one.push((await load(alone, CONNECTIONS)).rate)
    const connections = servers.map((_, at) => (at === 0 ? CONNECTIONS - share * (servers.length - 1) : share))
    const results = await Promise.all(servers.map((server, at) => load(server, connections[at] ?? share)))
    rates.several.push(results.reduce((sum, { rate }) => sum + rate, 0))
  }
  return {
    what: `PostgreSQL: one event a POST, ${CONNECTIONS} connections to ${servers.length} servers`,
    value: median(rates.several),
    unit: 'events/s',
    details: rates,
    yardstick: { what: 'to one server', value: median(rates.one), unit: 'events/s' },
    goal: { atLeastTimes: 0.95 },
  }
}
