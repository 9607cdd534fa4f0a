/**
 * Measures the cost of one group of events in a ledger in PostgreSQL, and the rates of one and of three servers; then
 * simulates up to 64 servers with these times. Prints Markdown. With `times` and four numbers, nothing is measured. The
 * numbers are the milliseconds of a group, of each event in it, of the commit, and of an event before the lock. With
 * `server`, the program is one of the servers.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readEvent } from '../../src/ledger/read-event.js'
import type { PostgresAddress } from '../../src/model/postgres-address.js'
import { readLocalSettings } from '../../src/settings/local-settings.js'
import { processSources } from '../../src/settings/reading/setting-sources.js'
import type { EventToRecord } from '../../src/store/event-store.js'
import { Connection } from '../../src/store/postgres/connection/connection.js'
import { openPostgresStore } from '../../src/store/postgres/store.js'
import { writeGroup } from '../../src/store/postgres/write/event-writer.js'
import { prepareEvent } from '../../src/store/postgres/write/prepared-event.js'
import { type ClockRowModel, simulateClockRow } from '../clock-row.js'
import { EventMaker } from '../events.js'
import { findPostgres, PostgresCluster } from '../postgres-cluster.js'
import { Workspace } from '../workspace.js'

const SIZES = [1, 8, 32, 64]
/** Enough that each size meets transactions in which PostgreSQL merges the pending list of the trigram index. */
const ROUNDS = 400
const WARM_UP = 10
const RUN_MS = 5_000
const SIMULATED_MS = 5_000
const CLIENTS = 64
const LARGEST_GROUP = 512
const COMMITS_MS = [0.2, 1, 2, 5, 10]
const SERVERS = [1, 3, 8, 16, 32, 64]
const maker = new EventMaker()
let made = process.pid * 10_000_000

if (process.argv[2] === 'server') await serve(Number(process.argv[3]))
else if (process.argv[2] === 'times') printTable(givenTimes(process.argv.slice(3).map(Number)))
else await main()

async function main(): Promise<void> {
  const programs = findPostgres(process.env.PATH ?? '')
  if (programs === undefined) throw new Error('There are no programs of a PostgreSQL server on this machine.')
  const workspace = new Workspace()
  process.on('exit', () => workspace.abandon())
  try {
    const cluster = await PostgresCluster.start(workspace, programs)
    const measured = await measureGroups(addressOf(cluster.address))
    print(`| from the lock to the commit, any group | each event more | commit | an event before the lock |`)
    print('| ---: | ---: | ---: | ---: |')
    print(
      `| ${ms(measured.groupMs)} | ${ms(measured.eventMs)} | ${ms(measured.commitMs)} | ${ms(measured.handleMs)} |\n`,
    )
    print('| servers | clients in all | measured | simulated |\n| ---: | ---: | ---: | ---: |')
    for (const [servers, clients] of [
      [1, CLIENTS],
      [3, Math.round(CLIENTS / 3)],
      [3, CLIENTS],
    ] as const) {
      const rate = await measureServers(cluster.address, servers, clients)
      const simulated = simulateClockRow({ ...measured, servers, clients, largestGroup: LARGEST_GROUP }, SIMULATED_MS)
      print(`| ${servers} | ${servers * clients} | ${count(rate)} events/s | ${count(simulated.rate)} events/s |`)
    }
    printTable(measured)
    await cluster.stop()
  } finally {
    await workspace.close()
  }
}

/** Milliseconds from the lock to the end of the commit. The mean includes the rare groups that take far longer. */
interface GroupTimes {
  mean: number
  median: number
  /** Before the lock, for each event. */
  handleMs: number
}

/** The cost of one group. */
type Times = Pick<ClockRowModel, 'groupMs' | 'eventMs' | 'commitMs' | 'handleMs'>

function givenTimes([
  groupMs = Number.NaN,
  eventMs = Number.NaN,
  commitMs = Number.NaN,
  handleMs = Number.NaN,
]: number[]): Times {
  if ([groupMs, eventMs, commitMs, handleMs].some(Number.isNaN)) throw new Error('Four numbers are needed.')
  return { groupMs, eventMs, commitMs, handleMs }
}

function printTable(times: Times): void {
  print(`\nSimulated, ${CLIENTS} clients a server: events/s (p99 of an answer)\n`)
  const commits = [...new Set([times.commitMs, ...COMMITS_MS])].sort((left, right) => left - right)
  print(`| servers | ${commits.map(commit => `commit ${ms(commit)}`).join(' | ')} |`)
  print(`| ---: | ${commits.map(() => '---:').join(' | ')} |`)
  for (const servers of SERVERS) {
    const runs = commits.map(commitMs => {
      const model = { ...times, commitMs, servers, clients: CLIENTS, largestGroup: LARGEST_GROUP }
      return simulateClockRow(model, SIMULATED_MS)
    })
    print(`| ${servers} | ${runs.map(({ rate, p99Ms }) => `${count(rate)} (${ms(p99Ms)})`).join(' | ')} |`)
  }
}

/** The times of a group by its size, on one connection that nothing else disturbs. */
async function measureGroups(address: PostgresAddress): Promise<Times> {
  await (await openPostgresStore({ address })).close()
  const connection = await Connection.open(address, 'bench')
  const timesOf = async (size: number): Promise<GroupTimes> => {
    const times: number[] = []
    let handled = 0
    for (let round = 0; round < ROUNDS + WARM_UP; round++) {
      const events = Array.from({ length: size }, newEvent)
      const startedAt = performance.now()
      const prepared = await Promise.all(events.map(event => prepareEvent(event)))
      const preparedAt = performance.now()
      const notify = { channel: 'bench', payload: '' }
      await writeGroup(connection, () => ({ events: prepared, now: undefined, matchedWith: undefined, notify }))
      if (round < WARM_UP) continue
      times.push(performance.now() - preparedAt)
      handled += preparedAt - startedAt
    }
    const sum = times.reduce((total, time) => total + time, 0)
    return { mean: sum / ROUNDS, median: median(times), handleMs: handled / ROUNDS / size }
  }
  const timesOfSizes = async () => {
    const times: GroupTimes[] = []
    for (const size of SIZES) times.push(await timesOf(size))
    return times
  }
  const durable = await timesOfSizes()
  await connection.script('SET synchronous_commit = off')
  const others = await timesOfSizes()
  await connection.close()
  const commitMs = median(durable.map((times, at) => times.median - (others[at]?.median ?? 0)))
  const [first, last] = [others[0], others.at(-1)] as [GroupTimes, GroupTimes]
  const eventMs = (last.mean - first.mean) / ((SIZES.at(-1) ?? 1) - 1)
  return { groupMs: first.mean - eventMs, eventMs, commitMs, handleMs: last.handleMs }
}

/** @returns events a second, of all servers together */
async function measureServers(url: string, servers: number, clients: number): Promise<number> {
  const children = Array.from({ length: servers }, () => startServer(url, clients))
  try {
    const rates = await Promise.all(
      children.map(async child => Number(((await once(child, 'message')) as [number])[0])),
    )
    return rates.reduce((sum, rate) => sum + rate, 0)
  } finally {
    for (const child of children) child.kill()
  }
}

function startServer(url: string, clients: number): ChildProcess {
  return fork(fileURLToPath(import.meta.url), ['server', String(clients)], { env: { ...process.env, EVENT_DB: url } })
}

/** Records with `clients` callers, each with one event in progress, and sends the rate. */
async function serve(clients: number): Promise<void> {
  const store = await openPostgresStore({ address: addressOf(process.env.EVENT_DB ?? '') })
  let stored = 0
  const until = performance.now() + 2 * RUN_MS
  const write = async () => {
    while (performance.now() < until) {
      await store.events.record([newEvent()])
      stored++
    }
  }
  const writers = Array.from({ length: clients }, write)
  await sleep(RUN_MS)
  const before = stored
  await sleep(RUN_MS - 500)
  process.send?.(((stored - before) / (RUN_MS - 500)) * 1_000)
  await Promise.all(writers)
  await store.close()
}

function newEvent(): EventToRecord {
  const event = readEvent(JSON.parse(maker.eventText(made++)))
  return { event, provenance: { route: 'api', verified: 'none' }, matches: [] }
}

function addressOf(url: string): PostgresAddress {
  const sources = { ...processSources(), env: { EVENT_DB: url } }
  const { postgres } = readLocalSettings({}, sources).database
  if (!postgres) throw new Error('No address of PostgreSQL.')
  return postgres
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] as number
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function ms(value: number): string {
  return `${value.toFixed(value < 0.1 ? 3 : value < 10 ? 2 : 0)} ms`
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en')
}
