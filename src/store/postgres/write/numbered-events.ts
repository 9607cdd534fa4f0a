import type { Micros } from '../../../model/timestamp.js'
import { chainDigest } from '../../event-digest.js'
import type { SubscriptionMatch } from '../../event-store.js'
import type { Row } from '../connection/connection.js'
import { FACET_SEPARATOR, facet } from '../search/facets.js'
import { mutableMembersJson, type PreparedEvent, readTail } from './prepared-event.js'
import { laterCursor, type SubscriptionChange } from './subscription-changes.js'

/** The newest event, from the row that orders all events of the ledger. */
export interface Clock {
  last: Micros
  seq: number
  digest: Buffer
  /** The newest row of `event_marks`. */
  markedAt: Micros
  markedSeq: number
  /** The number of the newest change of an event. */
  changes: number
  /** The newest event that retention has removed; 0 for none. */
  prunedThrough: Micros
}

/** The outcome of one delivery; `body` only if its sender needs it. */
export interface WrittenEvent {
  capturedAt: Micros
  seenCount: number
  body: string | undefined
}

export interface Tally {
  events: number
  duplicates: number
  /** 0 for none. */
  latest: Micros
}

/** A stored event that has arrived again, or one that is about to be stored. */
export interface KnownEvent {
  key: string
  source: string
  capturedAt: Micros
  seenCount: number
  subscriptionIds: string[]
  tail: string
  /** Without its tail; undefined if no reply needs it, or if it is no longer in the ledger. */
  content: string | Buffer | undefined
  /** Facets to add. */
  facets: string
  /** Retention has removed it: it belongs to no subscription, and `content` is that of its tombstone. */
  isPruned: boolean
}

export interface CreatedEvent extends KnownEvent {
  event: PreparedEvent
  seq: number
  digest: Buffer
  /** Digest of content that another ledger has erased, in hex. */
  removedDigest: string | null
}

/** What a transaction changes in the stored events. */
export interface GroupChanges {
  readonly created: readonly CreatedEvent[]
  /** Events that were stored before. */
  readonly repeated: readonly KnownEvent[]
  readonly sources: ReadonlyMap<string, Tally>
  readonly kinds: ReadonlyMap<string, number>
  /** The newest event after them. */
  readonly last: Micros
  readonly seq: number
  readonly digest: Buffer
}

/**
 * Numbers the events of a group after the newest event of the ledger, and determines the changes of the group.
 * `captured_at` is `max(last + 1 µs, now)`: unique, and rising, even if the clock steps back.
 */
export class NumberedEvents implements GroupChanges {
  readonly outcomes: WrittenEvent[] = []
  readonly created: CreatedEvent[] = []
  readonly sources = new Map<string, Tally>()
  readonly kinds = new Map<string, number>()
  readonly #known = new Map<string, KnownEvent>()
  readonly #repeated = new Set<KnownEvent>()
  readonly #moved = new Map<string, { at: Micros; cursor?: string }>()
  readonly #marks: SubscriptionChange[] = []
  readonly #captured: SubscriptionChange[] = []
  #last: Micros
  #seq: number
  #digest: Buffer

  /**
   * @param stored rows of those events of the group that are stored already
   * @param removed content of the tombstones of removed events, where a reply needs it
   */
  constructor(
    clock: Clock,
    private readonly now: Micros,
    stored: readonly Row[],
    removed: ReadonlyMap<Micros, string>,
  ) {
    this.#last = clock.last
    this.#seq = clock.seq
    this.#digest = clock.digest
    for (const row of stored) this.#known.set(String(row.dedupe_key), toKnown(row, clock, removed))
  }

  get last(): Micros {
    return this.#last
  }

  get seq(): number {
    return this.#seq
  }

  get digest(): Buffer {
    return this.#digest
  }

  get repeated(): KnownEvent[] {
    return [...this.#repeated]
  }

  /** In the order in which they apply. */
  get subscriptionChanges(): SubscriptionChange[] {
    const moves = [...this.#moved].map(([id, moved]) => ({ id, moved }))
    return [...this.#marks, ...moves, ...this.#captured]
  }

  add(event: PreparedEvent): void {
    const known = this.#known.get(event.storedKey)
    const at = known ? this.#repeat(known, event) : this.#create(event)
    for (const { id, captured, cursor } of event.matches) {
      if (captured) this.#captured.push({ id, captured, cursor })
    }
    const { capturedAt, seenCount, content, tail } = at
    // The reply for an event that is no longer in the ledger contains the event as just sent.
    const body = event.isAnswered ? String(content ?? event.content) + tail : undefined
    this.outcomes.push({ capturedAt, seenCount, body })
  }

  #create(event: PreparedEvent): KnownEvent {
    const { storedKey: key, source, kind, content, facets } = event
    const capturedAt = Math.max(this.#last + 1, this.now)
    this.#last = capturedAt
    this.#seq++
    this.#digest = chainDigest(this.#digest, event.contentDigest, capturedAt)
    const subscriptionIds = [...event.subscriptionIds]
    const tail = mutableMembersJson({ subscriptionIds, capturedAt, seenCount: 1, lastSeenAt: capturedAt })
    const created: CreatedEvent = {
      event,
      key,
      source,
      capturedAt,
      seenCount: 1,
      subscriptionIds,
      tail,
      content,
      facets,
      isPruned: false,
      seq: this.#seq,
      digest: this.#digest,
      removedDigest: null,
    }
    this.created.push(created)
    this.#known.set(key, created)
    const tally = this.#tallyOf(source)
    tally.events++
    tally.latest = capturedAt
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1)
    for (const match of event.matches) this.#moved.set(match.id, furthest(this.#moved.get(match.id), match, capturedAt))
    return created
  }

  #repeat(known: KnownEvent, event: PreparedEvent): KnownEvent {
    for (const { id, isCaptured } of event.matches) if (isCaptured) this.#mark(known, id)
    known.seenCount++
    const { subscriptionIds, capturedAt, seenCount } = known
    known.tail = mutableMembersJson({
      subscriptionIds,
      capturedAt,
      seenCount,
      lastSeenAt: Math.max(this.#last, this.now),
    })
    if (!('event' in known)) this.#repeated.add(known)
    this.#tallyOf(known.source || event.source).duplicates++
    return known
  }

  /** Its `captured_at` stays, as it defines the order of the ledger. */
  #mark(known: KnownEvent, id: string): void {
    if (known.isPruned || known.subscriptionIds.includes(id)) return
    known.subscriptionIds.push(id)
    known.facets += (known.facets === '' ? '' : FACET_SEPARATOR) + facet('subscription', id)
    this.#marks.push({ id, markedAt: known.capturedAt })
  }

  #tallyOf(source: string): Tally {
    const tally = this.sources.get(source) ?? { events: 0, duplicates: 0, latest: 0 }
    this.sources.set(source, tally)
    return tally
  }
}

function toKnown(row: Row, { prunedThrough }: Clock, removed: ReadonlyMap<Micros, string>): KnownEvent {
  const capturedAt = Number(row.captured_us)
  const isPruned = capturedAt <= prunedThrough
  const tail = row.tail === null ? undefined : String(row.tail)
  const body = row.body === null ? undefined : String(row.body)
  return {
    key: String(row.dedupe_key),
    source: row.source === null ? '' : String(row.source),
    capturedAt,
    isPruned,
    seenCount: Number(row.seen_count),
    subscriptionIds: tail === undefined || isPruned ? [] : [...readTail(tail).subscriptionIds],
    tail: tail ?? '',
    content: isPruned ? removed.get(capturedAt) : body,
    facets: '',
  }
}

function furthest(before: { at: Micros; cursor?: string } | undefined, match: SubscriptionMatch, at: Micros) {
  if (match.cursor === undefined) return { ...before, at }
  return { at, cursor: before?.cursor === undefined ? match.cursor : laterCursor(before.cursor, match.cursor) }
}
