import type { CaptureState } from '../../../model/subscriptions/subscription.js'
import { type Micros, toTimestamp } from '../../../model/timestamp.js'
import { type CopiedEvent, hasChanged } from '../../copy-store.js'
import type { LedgerHead, SubscriptionMatch } from '../../event-store.js'
import { LARGE_EVENT_BYTES } from '../../large-event.js'
import type { PrunedEvents } from '../erase/pruned-events.js'
import { prunedTombstone } from '../erase/stored-tombstone.js'
import type { Database } from '../files/database.js'
import { copiedContentDigest } from '../read/event-content.js'
import { readBounds } from '../read/ledger-bounds.js'
import { MARK_WORDS } from '../search/facet-marks.js'
import type { SearchIndex } from '../search/search-index.js'
import { laterCursorSql, noteCapture } from '../tasks/capture-state.js'
import { type ChainEnd, EventChain } from './event-chain.js'
import type { EventChanges } from './event-changes.js'
import {
  fillInstants,
  type MatchesOfEvent,
  type PackedEvents,
  type PackedOutcomes,
  type UnpackedEvent,
  unpackEvents,
} from './packed-events.js'
import { SourceMarks } from './source-marks.js'

const INSERT_EVENT = /* sql */ `
  INSERT INTO events (dedupe_key, captured_us, source, kind, subject_id, seen_count, body, digest)
  VALUES (?, ?, ?, ?, ?, ?, CAST(? AS TEXT), ?)
  ON CONFLICT (dedupe_key) DO NOTHING`

const SET_CONTENT_DIGEST = /* sql */ `UPDATE events SET content_digest = ? WHERE seq = ?`

const IS_STORED = /* sql */ `SELECT 1 FROM events WHERE dedupe_key = ?`

const COUNT_REPEAT = /* sql */ `
  UPDATE events
  SET seen_count = seen_count + 1,
      body = json_set(body, '$.seen_count', seen_count + 1, '$.last_seen_at', ?2)
  WHERE dedupe_key = ?1 AND octet_length(body) <= ${LARGE_EVENT_BYTES} AND json_valid(body)
  RETURNING seq, seen_count, captured_us, source, CASE WHEN ?3 THEN body END AS body`

/** Characters from the count to the end, without the digits of the count. */
const END = ',"seen_count":,"last_seen_at":"0000-00-00T00:00:00.000000Z"}'.length

/**
 * The same for a body whose JSON would take long to parse: its end is replaced, if this store wrote it. (Bodies of an
 * older ledger have other ends.) A body that SQLite cannot read as JSON stays as it is, but the repeat is counted.
 */
const COUNT_LARGE_REPEAT = /* sql */ `
  UPDATE events
  SET seen_count = seen_count + 1,
      body = CASE
        WHEN CAST(substr(CAST(body AS BLOB), -(${END} + length(seen_count))) AS TEXT)
          GLOB ',"seen_count":' || seen_count || ',"last_seen_at":"????-??-??T??:??:??.??????Z"}'
        THEN CAST(substr(CAST(body AS BLOB), 1, octet_length(body) - ${END} - length(seen_count)) AS TEXT)
          || (',"seen_count":' || (seen_count + 1) || ',"last_seen_at":"' || ?2 || '"}')
        WHEN json_valid(body) THEN json_set(body, '$.seen_count', seen_count + 1, '$.last_seen_at', ?2)
        ELSE body END
  WHERE dedupe_key = ?1
  RETURNING seq, seen_count, captured_us, source, CASE WHEN ?3 THEN body END AS body`

const COUNT_SOURCE = /* sql */ `
  INSERT INTO source_counters (source, events, duplicates, latest_us) VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT (source) DO UPDATE
  SET events = events + ?2, duplicates = duplicates + ?3, latest_us = coalesce(?4, latest_us)`

const COUNT_KIND = /* sql */ `
  INSERT INTO kind_counters (kind, events) VALUES (?1, ?2)
  ON CONFLICT (kind) DO UPDATE SET events = events + ?2`

/** A body that SQLite cannot read as JSON stays as it is: a subscription must not make an event fail. */
const MOVE_LAST_EVENT = /* sql */ `
  UPDATE subscriptions SET body = json_set(body, '$.last_event_at', ?2) WHERE id = ?1 AND json_valid(body)`

/** The position of capture stays the same, and is stored separately from the cursor from now on. */
const MOVE_CURSOR = /* sql */ `
  UPDATE subscriptions
  SET body = json_insert(json_set(body, '$.last_event_at', ?2, '$.last_cursor', ${laterCursorSql('?3')}),
    '$.capture.read_to', body ->> '$.last_cursor')
  WHERE id = ?1 AND json_valid(body)`

const MARK_REPEAT = /* sql */ `
  UPDATE events SET body = json_insert(body, '$.subscription_ids[#]', ?2)
  WHERE dedupe_key = ?1 AND seq > ?3 AND json_valid(body)
    AND NOT EXISTS (SELECT 1 FROM json_each(body, '$.subscription_ids') WHERE value = ?2)
  RETURNING seq, captured_us`

const MOVE_LAST_EVENT_ON = /* sql */ `
  UPDATE subscriptions SET body = json_set(body, '$.last_event_at', ?2)
  WHERE id = ?1 AND json_valid(body) AND coalesce(body ->> '$.last_event_at', '') < ?2`

/** Marks of a copied event: until it is indexed, every filter reads it. */
const ANY_MARKS = new Uint32Array(MARK_WORDS).fill(0xffffffff)

/** Newest `captured_at` and newest `seq`, and the newest digest. */
interface WriterPlace {
  last: Micros
  appended: number
  chained: ChainEnd
  changes: number
}

interface WriterParts {
  index: Pick<SearchIndex, 'addSubscription' | 'addUnindexed' | 'keepOutline' | 'rewind'>
  pruned: PrunedEvents
  changes: EventChanges
}

interface Tally {
  events: number
  duplicates: number
  latest: Micros | null
}

/**
 * Appends events inside the caller's transactions. `captured_at` is `max(last + 1 µs, now)`: unique, and rising in
 * commit order, even if the clock steps back.
 */
export class EventWriter {
  #last = 0
  #appended = 0
  readonly #sourceMarks: SourceMarks
  readonly #chain: EventChain
  private readonly index: WriterParts['index']
  private readonly pruned: PrunedEvents
  readonly #changes: EventChanges

  constructor(
    private readonly database: Database,
    { index, pruned, changes }: WriterParts,
  ) {
    this.index = index
    this.pruned = pruned
    this.#changes = changes
    this.#sourceMarks = new SourceMarks(database)
    const { seq: appended, head } = readBounds(database)
    this.#chain = new EventChain(database, appended)
    const { end: chained } = this.#chain
    this.rewind({ last: head ?? 0, appended, chained, changes: this.#changes.newest })
  }

  /** The newest event that is committed; null in an empty ledger. */
  get head(): LedgerHead | null {
    return this.#appended === 0 ? null : { capturedAt: this.#last, digest: this.#chain.digestOf(this.#appended) }
  }

  /** Newest `seq`, which is the number of events. */
  get appended(): number {
    return this.#appended
  }

  /** Read it before a transaction, for `rewind`. */
  get place(): WriterPlace {
    return { last: this.#last, appended: this.#appended, chained: this.#chain.end, changes: this.#changes.newest }
  }

  /** Discards what a failed transaction assigned. Reads nothing from a disk that has just failed. */
  rewind({ last, appended, chained, changes }: WriterPlace): void {
    this.#last = last
    this.#appended = appended
    this.#chain.rewind(chained)
    this.#changes.rewind(changes)
    this.#sourceMarks.forget()
    this.index.rewind()
    this.pruned.forget()
  }

  /** Number of events of an older release without a digest, and of those after them. */
  get unchained(): number {
    return this.#appended - this.#chain.end.seq
  }

  /** Computes the digests of up to `count` of them. */
  advanceChain(count: number): void {
    this.#chain.advance(count)
  }

  append(packed: PackedEvents, now: Micros): PackedOutcomes {
    const outcomes: PackedOutcomes = { capturedAt: [], seenCounts: [], repeats: [], digest: null }
    const sources = new Map<string, Tally>()
    const kinds = new Map<string, number>()
    const matches = new Map(
      (JSON.parse(packed.matches) as MatchesOfEvent[]).map(({ index, matches }) => [index, matches]),
    )
    let index = 0
    for (const event of unpackEvents(packed)) {
      const capturedAt = Math.max(this.#last + 1, now)
      fillInstants(event, capturedAt)
      const tally = tallyOf(sources, event.source)
      if (this.#insert(event, capturedAt)) {
        this.#appendedOne(event, capturedAt)
        outcomes.capturedAt.push(capturedAt)
        outcomes.seenCounts.push(1)
        tally.events++
        tally.latest = capturedAt
        kinds.set(event.kind, (kinds.get(event.kind) ?? 0) + 1)
      } else {
        for (const { id, isCaptured } of matches.get(index) ?? []) if (isCaptured) this.#markRepeat(event.dedupeKey, id)
        const isAnswered = packed.answered.includes(index)
        const repeat = this.#countRepeat(event.dedupeKey, Math.max(this.#last, now), isAnswered)
        outcomes.capturedAt.push(repeat.capturedAt)
        outcomes.seenCounts.push(repeat.seenCount)
        if (isAnswered) outcomes.repeats.push({ index, body: repeat.body })
        tallyOf(sources, repeat.source).duplicates++
      }
      index++
    }
    for (const [source, { events, duplicates, latest }] of sources) {
      if (events + duplicates > 0) this.database.run(COUNT_SOURCE, source, events, duplicates, latest)
    }
    for (const [kind, events] of kinds) this.database.run(COUNT_KIND, kind, events)
    this.#moveSubscriptions(matches, outcomes)
    outcomes.digest = this.#chain.digestOf(this.#appended)
    return outcomes
  }

  /** The digests that copied events will have. */
  digestsOf(copied: readonly CopiedEvent[]): (Buffer | null)[] {
    const links = copied.map(event => ({
      content: copiedContentDigest(this.database, event),
      capturedAt: event.capturedAt,
    }))
    return this.#chain.following(this.#appended, links)
  }

  /** Appends an event as another ledger has stored it. The caller has checked that it is later, and that its key is new. */
  appendCopy(copied: CopiedEvent, digest: Buffer | null): void {
    const { storedKey: dedupeKey, subjectId, capturedAt, source, kind, seenCount, contentDigest } = copied
    const event = { dedupeKey, source, kind, subjectId, body: asBuffer(copied.body), marks: ANY_MARKS }
    if (!this.#insert(event, capturedAt, { seenCount, digest }))
      throw new Error('The key of a copied event is stored already.')
    if (contentDigest) this.database.run(SET_CONTENT_DIGEST, Buffer.from(contentDigest, 'hex'), this.#appended + 1)
    this.#appendedOne(event, capturedAt)
    if (hasChanged(copied)) this.#changes.note(this.#appended)
    this.database.run(COUNT_SOURCE, source, 1, seenCount - 1, capturedAt)
    this.database.run(COUNT_KIND, kind, 1)
  }

  /** Notes that the caller has changed a stored event. @param repeats number of additional deliveries */
  noteChange(seq: number, source: string, repeats: number): void {
    this.database.run(COUNT_SOURCE, source, 0, repeats, null)
    this.#changes.note(seq)
  }

  #appendedOne({ source, body, marks }: UnpackedEvent, capturedAt: Micros): void {
    this.#last = capturedAt
    this.#appended++
    this.index.addUnindexed(this.#appended, marks)
    if (body.length > LARGE_EVENT_BYTES) this.index.keepOutline(this.#appended, body)
    this.#sourceMarks.count(this.#appended, source)
  }

  /** New events move the subscriptions that they match: one update each, however many events there were. */
  #moveSubscriptions(ofEvents: ReadonlyMap<number, SubscriptionMatch[]>, outcomes: PackedOutcomes): void {
    const { capturedAt, seenCounts } = outcomes
    const moved = new Map<string, { at: Micros; cursor?: string }>()
    const captured: { id: string; changes: CaptureState; cursor: string | undefined }[] = []
    for (const [index, matches] of ofEvents) {
      for (const match of matches) {
        if (match.captured) captured.push({ id: match.id, changes: match.captured, cursor: match.cursor })
        if (seenCounts[index] !== 1) continue
        moved.set(match.id, furthest(moved.get(match.id), match, capturedAt[index] as number))
      }
    }
    for (const [id, { at, cursor }] of moved) {
      if (cursor === undefined) this.database.run(MOVE_LAST_EVENT, id, toTimestamp(at))
      else this.database.run(MOVE_CURSOR, id, toTimestamp(at), cursor)
    }
    for (const { id, changes, cursor } of captured) noteCapture(this.database, id, changes, cursor)
  }

  #insert(
    { dedupeKey, source, kind, subjectId, body }: UnpackedEvent,
    capturedAt: Micros,
    copied?: { seenCount: number; digest: Buffer | null },
  ): boolean {
    // An insert copies its values even if it conflicts.
    if (body.length > LARGE_EVENT_BYTES && this.database.first(IS_STORED, dedupeKey)) return false
    const seq = this.#appended + 1
    const digest = copied ? copied.digest : this.#chain.next(seq, body, capturedAt)
    const row = [dedupeKey, capturedAt, source, kind, subjectId, copied?.seenCount ?? 1, body, digest]
    if (this.database.run(INSERT_EVENT, ...row) === 0) return false
    if (digest) this.#chain.append({ seq, digest })
    return true
  }

  /**
   * Marks a stored event with a subscription that it was captured for, unless it is marked already. Its `captured_at`
   * stays, as it defines the order of the ledger. A pruned event belongs to no subscription.
   */
  #markRepeat(dedupeKey: string, subscriptionId: string): void {
    const row = this.database.first(MARK_REPEAT, dedupeKey, subscriptionId, this.pruned.through)
    if (!row) return
    this.index.addSubscription(Number(row.seq), subscriptionId)
    this.database.run(MOVE_LAST_EVENT_ON, subscriptionId, toTimestamp(Number(row.captured_us)))
  }

  #countRepeat(dedupeKey: string, seenAt: Micros, isAnswered: boolean) {
    const values = [dedupeKey, toTimestamp(seenAt), isAnswered ? 1 : 0]
    const row = this.database.first(COUNT_REPEAT, ...values) ?? this.database.first(COUNT_LARGE_REPEAT, ...values)
    if (!row) throw new Error('A stored key could not be counted.')
    this.#changes.note(Number(row.seq))
    const isPruned = Number(row.seq) <= this.pruned.through
    return {
      source: String(row.source),
      seenCount: Number(row.seen_count),
      capturedAt: Number(row.captured_us),
      body: isAnswered && isPruned ? JSON.stringify(prunedTombstone(this.database, Number(row.seq))) : String(row.body),
    }
  }
}

export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

function tallyOf(tallies: Map<string, Tally>, source: string): Tally {
  const tally = tallies.get(source) ?? { events: 0, duplicates: 0, latest: null }
  tallies.set(source, tally)
  return tally
}

function furthest(before: { at: Micros; cursor?: string } | undefined, match: SubscriptionMatch, at: Micros) {
  const cursor = laterCursor(before?.cursor, match.cursor)
  return cursor === undefined ? { at } : { at, cursor }
}

function laterCursor(left: string | undefined, right: string | undefined): string | undefined {
  if (left === undefined || right === undefined) return left ?? right
  return BigInt(right) > BigInt(left) ? right : left
}
