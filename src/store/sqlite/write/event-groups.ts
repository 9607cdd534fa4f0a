import { AppError } from '../../../model/app-error.js'
import type { Micros } from '../../../model/timestamp.js'
import type { Erasure, EventToRecord, LedgerHead, Pruning, RecordOutcome } from '../../event-store.js'
import type { StoreThread } from '../thread/store-thread.js'
import {
  encodeWithoutInstants,
  type PackedEvents,
  type PackedOutcomes,
  packEvents,
  toOutcomes,
} from './packed-events.js'

/** Events and characters that may wait for the store; a caller beyond that receives `busy`. */
const WAITING = { events: 50_000, characters: 256 * 1024 * 1024 }
/** A commit younger than this proves that the store can commit. */
const RECENT_CHECK_MS = 1_000

interface Group {
  events: EventToRecord[]
  openBodies: string[]
  /** Indexes of the events whose outcomes need a body. */
  answered: number[]
  characters: number
  settle: { count: number; resolve: (outcomes: RecordOutcome[]) => void; reject: (error: unknown) => void }[]
}

/**
 * Groups that may be in progress together. With one, this thread and the store's would alternately wait for each other.
 * With many, each would be small, and a message costs more than the event in it.
 */
const GROUPS_IN_PROGRESS = 8
/**
 * A group of this size is sent immediately: the store's thread works on it while this one still reads the requests
 * behind it. Smaller groups would cost more, because each commit writes pages of its own.
 */
const GROUP_EVENTS = 32
/** A group takes no more characters, except from a single caller: small events must not wait for large ones. */
const GROUP_CHARACTERS = 4 * 1024 * 1024

/**
 * Sends events to the store's thread in groups. Events that arrive in one turn of the event loop, up to a full group,
 * or while enough groups are in progress, are one message and share one commit. On an idle ledger a single event does
 * not wait.
 */
export class EventGroups {
  /** The first is sent next; the last still grows. */
  readonly #gathered: Group[] = []
  #inProgress = 0
  #waiting = { events: 0, characters: 0 }
  #checkedAt = Number.NEGATIVE_INFINITY
  /** Null until it is known, and while the ledger is empty. */
  #head: LedgerHead | null = null
  #closing = false
  #whenSent: (() => void) | undefined

  constructor(
    private readonly thread: StoreThread,
    private readonly options: { clock: () => Micros; groupsInProgress?: number },
  ) {}

  get #mostInProgress(): number {
    return this.options.groupsInProgress ?? GROUPS_IN_PROGRESS
  }

  record(events: EventToRecord[]): Promise<RecordOutcome[]> {
    if (this.#closing) return Promise.reject(new AppError('unavailable', 'store_closed', 'The ledger is closed.'))
    if (events.length === 0) return Promise.resolve([])
    if (this.#waiting.events > WAITING.events || this.#waiting.characters > WAITING.characters) {
      const message = 'Too many events wait to be stored. Try again shortly.'
      return Promise.reject(new AppError('unavailable', 'busy', message, { retryAfterSeconds: 1 }))
    }
    const openBodies = events.map(encodeWithoutInstants)
    const characters = events.reduce(
      (sum, { json }, at) => sum + (openBodies[at] as string).length + (json?.length ?? 0),
      0,
    )
    const group = this.#group(characters)
    if (events.length === 1 && events[0]?.json === undefined) group.answered.push(group.events.length)
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

  /** Removes content, and records the entry for it, in a separate transaction. */
  async erase({ events, entry }: Erasure): Promise<RecordOutcome> {
    return this.#recordEntry(entry, (packed, now) => this.thread.erase(packed, now, events))
  }

  async prune({ through, entries, entry }: Pruning): Promise<RecordOutcome> {
    return this.#recordEntry(entry, (packed, now) => this.thread.prune(packed, now, { through, entries }))
  }

  async #recordEntry(
    entry: EventToRecord,
    send: (packed: PackedEvents, now: Micros) => Promise<PackedOutcomes>,
  ): Promise<RecordOutcome> {
    const openBodies = [encodeWithoutInstants(entry)]
    const packed = await send(packEvents([entry], openBodies), this.options.clock())
    const [outcome] = toOutcomes([entry], openBodies, [], packed)
    if (!outcome) throw new Error('An entry has no outcome.')
    this.#noteHead([outcome], packed.digest)
    return outcome
  }

  /** Call it after a successful commit of copied events. */
  noteCopied(head: LedgerHead | null): void {
    this.#checkedAt = performance.now()
    this.#head = head
  }

  #noteHead(outcomes: readonly RecordOutcome[], digest: string | null): void {
    this.#checkedAt = performance.now()
    for (const { created, capturedAt } of outcomes) if (created) this.#head = { capturedAt, digest }
  }

  /** Proves that the store can commit, with a write, unless a commit has just succeeded. @returns the newest event */
  async checkWritable(): Promise<LedgerHead | null> {
    if (this.#head === null || performance.now() - this.#checkedAt > RECENT_CHECK_MS) {
      this.#head = await this.thread.stores.events.probe()
      this.#checkedAt = performance.now()
    }
    return this.#head
  }

  /** Accepts no further events, and resolves when all accepted ones are stored or refused. */
  async finish(): Promise<void> {
    this.#closing = true
    while (this.#gathered.length > 0 || this.#inProgress > 0) {
      await new Promise<void>(resolve => {
        this.#whenSent = resolve
      })
    }
  }

  /** The group to add events of this size to. */
  #group(characters: number): Group {
    const last = this.#gathered.at(-1)
    if (last && last.characters + characters <= GROUP_CHARACTERS) return last
    const group: Group = { events: [], openBodies: [], answered: [], characters: 0, settle: [] }
    this.#gathered.push(group)
    if (this.#inProgress < this.#mostInProgress) setImmediate(() => this.#sendGathered())
    return group
  }

  #sendGathered(): void {
    if (this.#inProgress === this.#mostInProgress) return
    const group = this.#gathered.shift()
    if (!group) return
    this.#inProgress++
    void this.#send(group)
  }

  async #send({ events, openBodies, answered, characters, settle }: Group): Promise<void> {
    try {
      const packed = await this.thread.record(packEvents(events, openBodies, answered), this.options.clock())
      const outcomes = toOutcomes(events, openBodies, answered, packed)
      this.#noteHead(outcomes, packed.digest)
      let at = 0
      for (const { count, resolve } of settle) {
        resolve(outcomes.slice(at, at + count))
        at += count
      }
    } catch (error) {
      this.#checkedAt = Number.NEGATIVE_INFINITY
      for (const { reject } of settle) reject(error)
    }
    this.#waiting.events -= events.length
    this.#waiting.characters -= characters
    this.#inProgress--
    this.#sendGathered()
    this.#whenSent?.()
  }
}
