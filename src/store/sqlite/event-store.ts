import { AppError } from '../../model/app-error.js'
import type { EventHistogram, HistogramQuery } from '../../model/events/event-histogram.js'
import type { EventPage, EventQuery } from '../../model/events/event-query.js'
import type { Micros } from '../../model/timestamp.js'
import type { EventStore, EventToRecord, LedgerStats, RecordOutcome, StoreHealth } from '../event-store.js'
import { type PackedOutcomes, packRows, toOpenBody, toOutcomes } from './packed-rows.js'
import type { StoreOpened } from './protocol.js'
import type { StoreThread } from './store-thread.js'

/** Events and bytes that may wait for the store at once; a caller beyond that is asked to come back. */
const WAITING = { events: 50_000, characters: 256 * 1024 * 1024 }
/** Members of a query that only say which range is read. */
const RANGE_MEMBERS = ['order', 'limit', 'since', 'from', 'to']
/** A commit younger than this proves that the store can commit. */
const PROVEN_MS = 1_000

interface Group {
  events: EventToRecord[]
  openBodies: string[]
  characters: number
  settle: { count: number; resolve: (outcomes: RecordOutcome[]) => void; reject: (error: unknown) => void }[]
}

/**
 * Groups that may be on their way at once. With one, this thread and the store's would take turns waiting for each
 * other; with many, each would be small, and a message costs more than the event in it.
 */
const GROUPS_UNDER_WAY = 8
/**
 * So many events go at once: the store's thread works on them while this one still reads the requests behind them.
 * Fewer would be dearer, for each commit writes pages of its own.
 */
const GROUP_EVENTS = 32
/** A group takes no more characters, but for those of a single caller: nobody shall wait for what is large. */
const GROUP_CHARACTERS = 4 * 1024 * 1024

/**
 * Events over the store's thread. What arrives in one turn of the event loop, up to a full group, or while enough
 * groups are under way, crosses in one message and shares one commit. A single event on an idle ledger goes at once.
 */
export class SqliteEventStore implements EventStore {
  /** The first goes next; the last still gathers. */
  readonly #gathered: Group[] = []
  #underWay = 0
  #waiting = { events: 0, characters: 0 }
  #provenAt = Number.NEGATIVE_INFINITY
  /** Null until it is known, and while the ledger is empty. */
  #head: Micros | null = null
  #closing = false
  #whenSent: (() => void) | undefined

  constructor(
    private readonly thread: StoreThread,
    private readonly options: StoreOpened & { path: string; clock: () => Micros; groupsUnderWay?: number },
  ) {}

  get #mostUnderWay(): number {
    return this.options.groupsUnderWay ?? GROUPS_UNDER_WAY
  }

  record(events: EventToRecord[]): Promise<RecordOutcome[]> {
    if (this.#closing) return Promise.reject(new AppError('unavailable', 'store_closed', 'The ledger is closed.'))
    if (events.length === 0) return Promise.resolve([])
    if (this.#waiting.events > WAITING.events || this.#waiting.characters > WAITING.characters) {
      const message = 'More events are waiting to be stored than the ledger holds in memory. Try again shortly.'
      return Promise.reject(new AppError('unavailable', 'busy', message, { retryAfterSeconds: 1 }))
    }
    const openBodies = events.map(toOpenBody)
    const characters = events.reduce(
      (sum, { json }, at) => sum + (openBodies[at] as string).length + (json?.length ?? 0),
      0,
    )
    const group = this.#group(characters)
    group.events.push(...events)
    group.openBodies.push(...openBodies)
    group.characters += characters
    this.#waiting.characters += characters
    this.#waiting.events += events.length
    const outcomes = new Promise<RecordOutcome[]>((resolve, reject) => {
      group.settle.push({ count: events.length, resolve, reject })
    })
    if (group.events.length >= GROUP_EVENTS) this.#sendGathered()
    return outcomes
  }

  findByDedupeKey(dedupeKey: string, maxBytes: number): Promise<Uint8Array | number | undefined> {
    return this.thread.read({ task: 'find_event', dedupeKey, maxBytes })
  }

  listKeysOf(subscriptionId: string, storedKeys: readonly string[]): Promise<string[]> {
    return this.thread.read({ task: 'list_keys_of', subscriptionId, storedKeys })
  }

  query(query: EventQuery, signal?: AbortSignal): Promise<EventPage> {
    return this.thread.query({ task: 'query', query }, signal, isPlain(query))
  }

  histogram(query: HistogramQuery, signal?: AbortSignal): Promise<EventHistogram> {
    return this.thread.query({ task: 'histogram', query }, signal)
  }

  stats(): Promise<LedgerStats> {
    return this.thread.read({ task: 'stats' })
  }

  async health(): Promise<StoreHealth> {
    if (this.#head === null || performance.now() - this.#provenAt > PROVEN_MS) {
      const { head } = await this.thread.write<{ head: Micros | null }>({ task: 'probe' })
      this.#head = head
      this.#provenAt = performance.now()
    }
    const { path, epoch, schemaVersion } = this.options
    return { database: path, engine: 'sqlite', head: this.#head, epoch, schemaVersion, damage: this.thread.damage }
  }

  /** Accepts no more, and resolves once all that was accepted is stored or refused. */
  async finish(): Promise<void> {
    this.#closing = true
    while (this.#gathered.length > 0 || this.#underWay > 0) {
      await new Promise<void>(resolve => {
        this.#whenSent = resolve
      })
    }
  }

  /** With room for so many more. */
  #group(characters: number): Group {
    const last = this.#gathered.at(-1)
    if (last && last.characters + characters <= GROUP_CHARACTERS) return last
    const group: Group = { events: [], openBodies: [], characters: 0, settle: [] }
    this.#gathered.push(group)
    if (this.#underWay < this.#mostUnderWay) setImmediate(() => this.#sendGathered())
    return group
  }

  #sendGathered(): void {
    if (this.#underWay === this.#mostUnderWay) return
    const group = this.#gathered.shift()
    if (!group) return
    this.#underWay++
    void this.#send(group)
  }

  async #send({ events, openBodies, characters, settle }: Group): Promise<void> {
    try {
      const rows = packRows(events, openBodies)
      const packed = await this.thread.write<PackedOutcomes>({ task: 'record', rows, now: this.options.clock() }, [
        rows.buffer,
      ])
      this.#provenAt = performance.now()
      const outcomes = toOutcomes(events, openBodies, packed)
      for (const { created, capturedAt } of outcomes) if (created) this.#head = capturedAt
      let at = 0
      for (const { count, resolve } of settle) {
        resolve(outcomes.slice(at, at + count))
        at += count
      }
    } catch (error) {
      this.#provenAt = Number.NEGATIVE_INFINITY
      for (const { reject } of settle) reject(error)
    }
    this.#waiting.events -= events.length
    this.#waiting.characters -= characters
    this.#underWay--
    this.#sendGathered()
    this.#whenSent?.()
  }
}

/** It is answered from a range as it stands, in one slice. */
function isPlain(query: EventQuery): boolean {
  return Object.entries(query).every(([member, value]) => value === undefined || RANGE_MEMBERS.includes(member))
}
