import { setTimeout as sleep } from 'node:timers/promises'
import { readEvent } from '../../src/ledger/read-event.js'
import type { PostgresAddress } from '../../src/model/postgres-address.js'
import { Connection } from '../../src/store/postgres/connection/connection.js'
import { openPostgresStore, type PostgresStore } from '../../src/store/postgres/store.js'
import type { Bench } from '../bench.js'
import { EventMaker } from '../events.js'
import type { Figure } from '../figure.js'
import { findPostgres, PostgresCluster } from '../postgres-cluster.js'
import { median, Times } from '../statistics.js'

const SCHEMA = 'waking'
const POLLS_MS = [5, 50, 500]
/** Number of servers that wait for events of another one. */
const WAITING = 3
const PAUSE_MS = 10
const HEAD = /* sql */ `SELECT seq FROM ledger_clock`
const PROBE = `UPDATE ${SCHEMA}.ledger_clock SET probe = probe + 1`
const NOTHING = 'SELECT 1'
const NOTIFY = `SELECT pg_notify('${SCHEMA}_events', 'bench')`
const ROUNDS = 3

/**
 * How long another server needs to notice a new event, and how much waiting slows the recording. Compares
 * notifications, which the ledger uses, with a query of the newest event at an interval.
 */
export async function measureWaking({ workspace, options, progress }: Bench): Promise<Figure[]> {
  const programs = findPostgres(process.env.PATH ?? '')
  if (programs === undefined) {
    progress('no programs of a PostgreSQL server on this machine: not measured')
    return []
  }
  const cluster = await PostgresCluster.start(workspace, programs)
  const address = cluster.postgresAddress(SCHEMA)
  const writer = await openPostgresStore({ address })
  const times = options.quick ? 50 : 500
  const recorder = new Recorder(writer)
  progress(`waking by notifications, ${times} events`)
  const notified = await wakeTimes(recorder, times, wake => listening(address, wake))
  const polled: { everyMs: number; p50: number; p99: number }[] = []
  for (const everyMs of POLLS_MS) {
    progress(`waking by a query each ${everyMs} ms`)
    const { p50, p99 } = await wakeTimes(recorder, options.quick ? 20 : 100, wake => polling(address, everyMs, wake))
    polled.push({ everyMs, p50, p99 })
  }
  const [shortest = 0] = POLLS_MS
  const rates: Record<'alone' | 'notified' | 'polled', number[]> = { alone: [], notified: [], polled: [] }
  for (let round = 1; round <= ROUNDS; round++) {
    progress(`recording while ${WAITING} servers wait, round ${round} of ${ROUNDS}`)
    rates.alone.push(await recorder.rate(options.measureMs / ROUNDS))
    rates.notified.push(await whileWaiting(() => listening(address, () => {}), recorder, options.measureMs / ROUNDS))
    rates.polled.push(
      await whileWaiting(() => polling(address, shortest, () => {}), recorder, options.measureMs / ROUNDS),
    )
  }
  await writer.close()
  progress('transactions with and without a notification')
  const waiters = await Promise.all(Array.from({ length: WAITING }, () => listening(address, () => {})))
  const seconds = Math.ceil(options.measureMs / 1_000)
  const plain = await cluster.pgbench([`BEGIN; ${PROBE}; ${NOTHING}; COMMIT;`], { clients: 1, seconds })
  const notifying = await cluster.pgbench([`BEGIN; ${PROBE}; ${NOTIFY}; COMMIT;`], { clients: 1, seconds })
  const plainAgain = await cluster.pgbench([`BEGIN; ${PROBE}; ${NOTHING}; COMMIT;`], { clients: 1, seconds })
  await Promise.all(waiters.map(waiter => waiter.stop()))
  await cluster.stop()
  const alone = { what: 'no server waits', value: median(rates.alone), unit: 'events/s' } as const
  const waiting = (how: string, value: number): Figure => ({
    what: `recording while ${WAITING} servers wait ${how}`,
    value,
    unit: 'events/s',
    yardstick: alone,
  })
  return [
    {
      what: 'another server notices an event by a notification: p50',
      value: notified.p50,
      unit: 'ms',
      details: notified,
    },
    ...polled.map(({ everyMs, ...details }): Figure => {
      return {
        what: `another server notices an event by a query each ${everyMs} ms: p50`,
        value: details.p50,
        unit: 'ms',
        details,
      }
    }),
    {
      what: `a transaction with a notification for ${WAITING} servers`,
      value: notifying,
      unit: 'requests/s',
      yardstick: { what: 'without, before and after', value: (plain + plainAgain) / 2, unit: 'requests/s' },
    },
    waiting('for notifications', median(rates.notified)),
    waiting(`by a query each ${shortest} ms`, median(rates.polled)),
  ]
}

/** Records new events through one store. */
class Recorder {
  readonly #maker = new EventMaker()
  #made = 0

  constructor(private readonly store: PostgresStore) {}

  async one(): Promise<void> {
    const event = readEvent(JSON.parse(this.#maker.eventText(this.#made++)))
    await this.store.events.record([{ event, provenance: { route: 'api', verified: 'none' }, matches: [] }])
  }

  /** Events a second, 64 at a time. */
  async rate(forMs: number): Promise<number> {
    const stopAt = performance.now() + forMs
    const before = this.#made
    const record = async () => {
      while (performance.now() < stopAt) await this.one()
    }
    await Promise.all(Array.from({ length: 64 }, record))
    return ((this.#made - before) * 1_000) / forMs
  }
}

interface Waiter {
  stop(): Promise<void>
}

/** Times from the answer of `record`, which comes after the commit, to the wake of another server. Never below 0. */
async function wakeTimes(recorder: Recorder, count: number, start: (wake: () => void) => Promise<Waiter>) {
  let wake = () => {}
  const waiter = await start(() => wake())
  const times = new Times()
  for (let at = 0; at < count; at++) {
    await sleep(PAUSE_MS)
    let wokenAt: number | undefined
    const woken = new Promise<void>(resolve => {
      wake = () => {
        wokenAt ??= performance.now()
        resolve()
      }
    })
    await recorder.one()
    const recordedAt = performance.now()
    await woken
    times.add(Math.max(0, (wokenAt ?? recordedAt) - recordedAt))
  }
  await waiter.stop()
  return times.summary()
}

async function whileWaiting(start: () => Promise<Waiter>, recorder: Recorder, forMs: number): Promise<number> {
  const waiters = await Promise.all(Array.from({ length: WAITING }, start))
  const rate = await recorder.rate(forMs)
  await Promise.all(waiters.map(waiter => waiter.stop()))
  return rate
}

async function listening(address: PostgresAddress, wake: () => void): Promise<Waiter> {
  const store = await openPostgresStore({ address })
  const listens = new Promise<void>(resolve => store.multiServer.onEvents(resolve))
  await listens
  store.multiServer.onEvents(wake)
  return { stop: () => store.close() }
}

async function polling(address: PostgresAddress, everyMs: number, wake: () => void): Promise<Waiter> {
  const connection = await Connection.open(address, 'daybook bench')
  let isStopped = false
  let head = (await connection.run(HEAD))[0]?.seq
  const poll = async () => {
    while (!isStopped) {
      await sleep(everyMs)
      const [row] = await connection.run(HEAD)
      if (row?.seq !== head) wake()
      head = row?.seq
    }
  }
  const ended = poll()
  return {
    stop: async () => {
      isStopped = true
      await ended
      await connection.close()
    },
  }
}
