import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../model/app-error.js'
import type { PostgresAddress } from '../../../model/postgres-address.js'
import type { Micros } from '../../../model/timestamp.js'
import { type EventToRecord, type RecordOutcome, StaleMatches } from '../../event-store.js'
import { Connection, lockMs } from '../connection/connection.js'
import { type GroupToWrite, writeGroup } from './event-writer.js'
import { MOST_TRIGRAMS, withinIndexBudget } from './index-budget.js'
import { type PreparedEvent, prepareEvent, sizeOf } from './prepared-event.js'

/** Events and bytes that may wait for the database; a caller beyond that receives `busy`. */
const WAITING = { events: 50_000, bytes: 256 * 1024 * 1024 }
/** A group of this size takes no more calls, because other calls of this and other servers wait for it. */
const GROUP = { events: 512, bytes: 4 * 1024 * 1024, trigrams: MOST_TRIGRAMS }
/** How many events are prepared before other work gets a turn. */
const EVENTS_A_TURN = 8
/** A commit younger than this proves that the database can commit. */
const RECENT_CHECK_MS = 1_000
/** Not the row of the clock: another server may hold that for seconds. */
const PROBE = /* sql */ `UPDATE meta SET value = value WHERE name = 'epoch'`
/**
 * Ends a transaction that has held the clock since before this server began to wait for it, and in which the database
 * waits for another server to send or to read: that server is suspended, or its network hangs. No time limit of the
 * database ends such a transaction, because it counts as active. @param $1 milliseconds
 */
const END_SILENT = /* sql */ `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity AS other
  WHERE datname = current_database() AND usename = current_user AND state = 'active'
    AND wait_event IN ('ClientRead', 'ClientWrite') AND query_start < clock_timestamp() - make_interval(secs => $1 / 1000.0)
    AND EXISTS (
      SELECT 1 FROM pg_locks AS held WHERE held.pid = other.pid AND relation = 'ledger_clock'::regclass
        AND mode IN ('RowShareLock', 'RowExclusiveLock'))`

interface EventGroupsOptions {
  address: PostgresAddress
  /** Undefined: the clock of the database server. */
  clock: (() => Micros) | undefined
  /** Notified of every group with a new event. */
  notify: { channel: string; payload: string }
}

/** The events of one caller. */
interface Call {
  events: PreparedEvent[]
  bytes: number
  trigrams: number
  matchedWith: number | undefined
  andThen: GroupToWrite['andThen']
  resolve: (outcomes: RecordOutcome[]) => void
  reject: (error: unknown) => void
}

/**
 * Records events in groups: one transaction at a time on a connection of its own, with everything that has
 * arrived when the clock is locked. An idle ledger records a single event immediately.
 */
export class EventGroups {
  readonly #calls: Call[] = []
  #connection: Connection | undefined
  #writing: Promise<void> | undefined
  #waiting = { events: 0, bytes: 0 }
  #preparing = 0
  #checking: Promise<unknown> | undefined
  #checkedAt = Number.NEGATIVE_INFINITY
  #isClosing = false
  #whenIdle: (() => void) | undefined

  constructor(private readonly options: EventGroupsOptions) {}

  /** @param andThen does more in the same transaction, see `GroupToWrite` */
  async record(
    events: readonly EventToRecord[],
    matchedWith: number | undefined,
    andThen?: GroupToWrite['andThen'],
  ): Promise<RecordOutcome[]> {
    if (this.#isClosing) throw new AppError('unavailable', 'store_closed', 'The ledger is closed.')
    if (events.length === 0) return []
    if (this.#waiting.events > WAITING.events || this.#waiting.bytes > WAITING.bytes) {
      const message = 'Too many events wait to be stored. Try again shortly.'
      throw new AppError('unavailable', 'busy', message, { retryAfterSeconds: 1 })
    }
    // As `RecordOutcome.body` says.
    const isAnswered = events.length === 1 && events[0]?.json === undefined
    const bytes = events.reduce((total, { json }) => total + (json?.byteLength ?? 0), 0)
    this.#count(events.length, bytes)
    this.#preparing++
    try {
      const prepared: PreparedEvent[] = []
      for (const [at, event] of events.entries()) {
        // The statements of the group in progress wait for the event loop.
        if (at % EVENTS_A_TURN === EVENTS_A_TURN - 1) await nextTurn()
        prepared.push(await prepareEvent(event, isAnswered))
      }
      return await this.#write(withinIndexBudget(prepared), matchedWith, andThen)
    } finally {
      this.#preparing--
      this.#count(-events.length, -bytes)
      this.#whenIdle?.()
    }
  }

  /** Proves that the database can commit, with a write, unless a commit has just succeeded. */
  async checkWritable(run: (sql: string) => Promise<unknown>): Promise<void> {
    if (performance.now() - this.#checkedAt <= RECENT_CHECK_MS) return
    this.#checking ??= run(PROBE).finally(() => {
      this.#checking = undefined
    })
    await this.#checking
    this.#checkedAt = performance.now()
  }

  /** Accepts no further events, and resolves when all accepted ones are stored or refused. */
  async finish(): Promise<void> {
    this.#isClosing = true
    while (this.#preparing > 0) {
      await new Promise<void>(resolve => {
        this.#whenIdle = resolve
      })
    }
    await this.#writing
    await this.#connection?.close()
  }

  #count(events: number, bytes: number): void {
    this.#waiting.events += events
    this.#waiting.bytes += bytes
  }

  #write(
    events: PreparedEvent[],
    matchedWith: number | undefined,
    andThen: GroupToWrite['andThen'],
  ): Promise<RecordOutcome[]> {
    return new Promise((resolve, reject) => {
      const bytes = events.reduce((total, event) => total + sizeOf(event), 0)
      const trigrams = events.reduce((total, event) => total + event.trigrams, 0)
      this.#calls.push({ events, bytes, trigrams, matchedWith, andThen, resolve, reject })
      // Requests that are read in the same turn of the event loop share the first group.
      this.#writing ??= new Promise<void>(start => setImmediate(start)).then(() => this.#writeAll())
    })
  }

  async #writeAll(): Promise<void> {
    let answer = await this.#writeNext()
    while (this.#calls.length > 0) {
      const next = this.#writeNext()
      // While this process answers the callers of a group, the database already locks the clock for the next one.
      answer()
      answer = await next
    }
    answer()
    this.#writing = undefined
  }

  /** Calls among the first `most` that were matched with the same subscriptions. */
  #takeGroup(most = this.#calls.length): Call[] {
    const [first] = this.#calls
    let size = { events: 0, bytes: 0, trigrams: 0 }
    const isFirstAlone = first !== undefined && isGroupOfItsOwn(first)
    const end = this.#calls.findIndex((call, at) => {
      const before = size
      size = {
        events: before.events + call.events.length,
        bytes: before.bytes + call.bytes,
        trigrams: before.trigrams + call.trigrams,
      }
      const isLarge = size.events > GROUP.events || size.bytes > GROUP.bytes || size.trigrams > GROUP.trigrams
      const isFull = before.events > 0 && isLarge
      const isAnother = at > 0 && (isFirstAlone || isGroupOfItsOwn(call))
      return isFull || isAnother || call.matchedWith !== first?.matchedWith
    })
    return this.#calls.splice(0, end === -1 ? most : Math.min(end, most))
  }

  /** @returns a function that answers the callers */
  async #writeNext(): Promise<() => void> {
    const waiting = this.#calls.length
    const started = performance.now()
    let group: Call[] = []
    const takeGroup = (): GroupToWrite => {
      group = this.#takeGroup()
      const { clock, notify } = this.options
      const also = { matchedWith: group[0]?.matchedWith, andThen: group[0]?.andThen }
      return { events: group.flatMap(call => call.events), notify, now: clock?.(), ...also }
    }
    try {
      const connection = this.#usableConnection ?? (await this.#connect())
      const outcomes = await writeGroup(connection, takeGroup)
      this.#checkedAt = performance.now()
      return () => {
        let at = 0
        for (const { events, resolve } of group) {
          const own = outcomes.slice(at, at + events.length)
          at += events.length
          resolve(own.map((outcome, index) => toOutcome(events[index] as PreparedEvent, outcome)))
        }
      }
    } catch (error) {
      if (!(error instanceof StaleMatches)) this.#checkedAt = Number.NEGATIVE_INFINITY
      if (group.length === 0) {
        if (error instanceof AppError && error.code === 'busy') await this.#endSilent(performance.now() - started)
        // Calls that arrived during the failed wait for the clock have not waited yet.
        group = this.#takeGroup(waiting)
      }
      return () => {
        for (const { reject } of group) reject(error)
      }
    }
  }

  async #endSilent(waitedMs: number): Promise<void> {
    if (waitedMs < lockMs(this.options.address)) return // it was not the clock that took so long
    await this.#usableConnection?.run(END_SILENT, Math.round(waitedMs)).catch(() => undefined) // the next wait fails too
  }

  get #usableConnection(): Connection | undefined {
    return this.#connection?.isBroken ? undefined : this.#connection
  }

  async #connect(): Promise<Connection> {
    this.#connection = await Connection.open(this.options.address, 'daybook recording')
    return this.#connection
  }
}

/** More work in the transaction, and a lost lease, may fail the whole group. */
function isGroupOfItsOwn({ andThen, events }: Call): boolean {
  return andThen !== undefined || events.some(({ matches }) => matches.some(({ lease }) => lease !== undefined))
}

function toOutcome(
  { dedupeKey }: PreparedEvent,
  { capturedAt, seenCount, body }: { capturedAt: Micros; seenCount: number; body: string | undefined },
): RecordOutcome {
  return { created: seenCount === 1, dedupeKey, seenCount, capturedAt, body }
}
