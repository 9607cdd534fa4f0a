import type { CaptureState } from '../../model/subscriptions/subscription.js'
import { type Micros, toTimestamp } from '../../model/timestamp.js'
import type { SubscriptionMatch } from '../event-store.js'
import { laterCursorSql, noteCapture } from './capture-state.js'
import type { Database } from './database.js'
import { LARGE_BODY_BYTES } from './large-body.js'
import { LateMarks } from './late-marks.js'
import {
  type EventRow,
  type PackedOutcomes,
  type PackedRows,
  type RowMatches,
  setInstants,
  unpackRows,
} from './packed-rows.js'
import type { SearchIndex } from './search-index.js'
import { SourceMarks } from './source-marks.js'

const INSERT_EVENT = /* sql */ `
  INSERT INTO events (dedupe_key, captured_us, source, kind, subject_id, seen_count, body)
  VALUES (?, ?, ?, ?, ?, 1, CAST(? AS TEXT))
  ON CONFLICT (dedupe_key) DO NOTHING`

const IS_STORED = /* sql */ `SELECT 1 FROM events WHERE dedupe_key = ?`

const COUNT_REPEAT = /* sql */ `
  UPDATE events
  SET seen_count = seen_count + 1,
      body = json_set(body, '$.seen_count', seen_count + 1, '$.last_seen_at', ?2)
  WHERE dedupe_key = ?1 AND octet_length(body) <= ${LARGE_BODY_BYTES} AND json_valid(body)
  RETURNING seen_count, captured_us, source, CASE WHEN ?3 THEN body END AS body`

/** Characters from the count on, but for its digits. */
const END = ',"seen_count":,"last_seen_at":"0000-00-00T00:00:00.000000Z"}'.length

/**
 * The same for a body whose JSON would take long to look through: its end is replaced, if that is as this store writes
 * it. (Bodies of an older ledger have other ends.) One that SQLite cannot read as JSON stays as it is, and is counted.
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
  RETURNING seen_count, captured_us, source, CASE WHEN ?3 THEN body END AS body`

const COUNT_SOURCE = /* sql */ `
  INSERT INTO source_counters (source, events, duplicates, latest_us) VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT (source) DO UPDATE
  SET events = events + ?2, duplicates = duplicates + ?3, latest_us = coalesce(?4, latest_us)`

const COUNT_KIND = /* sql */ `
  INSERT INTO kind_counters (kind, events) VALUES (?1, ?2)
  ON CONFLICT (kind) DO UPDATE SET events = events + ?2`

/** A body that SQLite cannot read as JSON stays as it is: an event must not fail over a subscription. */
const MOVE_LAST_EVENT = /* sql */ `
  UPDATE subscriptions SET body = json_set(body, '$.last_event_at', ?2) WHERE id = ?1 AND json_valid(body)`

/** Where capture has read to stays what it was, and is told apart from the cursor from now on. */
const MOVE_CURSOR = /* sql */ `
  UPDATE subscriptions
  SET body = json_insert(json_set(body, '$.last_event_at', ?2, '$.last_cursor', ${laterCursorSql('?3')}),
    '$.capture.read_to', body ->> '$.last_cursor')
  WHERE id = ?1 AND json_valid(body)`

/** Newest `captured_at` and newest `seq`. */
export interface WriterPlace {
  last: Micros
  appended: number
}

interface Tally {
  events: number
  duplicates: number
  latest: Micros | null
}

/**
 * Appends events inside the caller's transactions. `captured_at` is `max(last + 1 µs, now)`: unique, and rising in
 * commit order whatever the clock does.
 */
export class EventWriter {
  #last = 0
  #appended = 0
  readonly #sourceMarks: SourceMarks
  readonly #marks: LateMarks

  constructor(
    private readonly database: Database,
    private readonly index: Pick<SearchIndex, 'addSubscription' | 'keepOutline' | 'forgetOutlines'>,
  ) {
    this.#marks = new LateMarks(database, index)
    this.#sourceMarks = new SourceMarks(database)
    const newest = database.first('SELECT seq, captured_us FROM events ORDER BY seq DESC LIMIT 1')
    this.rewind({ last: Number(newest?.captured_us ?? 0), appended: Number(newest?.seq ?? 0) })
  }

  /** Newest `captured_at` that is committed, or 0 in an empty ledger. */
  get last(): Micros {
    return this.#last
  }

  /** Newest `seq`, which is how many events there are. */
  get appended(): number {
    return this.#appended
  }

  /** Where it stands, to be taken before a transaction. */
  get place(): WriterPlace {
    return { last: this.#last, appended: this.#appended }
  }

  /** Forgets what a failed transaction had assigned. Asks nothing of a disk that has just failed. */
  rewind({ last, appended }: WriterPlace): void {
    this.#last = last
    this.#appended = appended
    this.#sourceMarks.forget()
    this.index.forgetOutlines()
  }

  append(rows: PackedRows, now: Micros): PackedOutcomes {
    const outcomes: PackedOutcomes = { capturedAt: [], seenCounts: [], repeats: [] }
    const sources = new Map<string, Tally>()
    const kinds = new Map<string, number>()
    const matches = new Map((JSON.parse(rows.matches) as RowMatches[]).map(({ row, matches }) => [row, matches]))
    let row = 0
    for (const event of unpackRows(rows)) {
      const capturedAt = Math.max(this.#last + 1, now)
      setInstants(event, capturedAt)
      const tally = tallyOf(sources, event.source)
      if (this.#insert(event, capturedAt)) {
        this.#last = capturedAt
        this.#appended++
        if (event.body.length > LARGE_BODY_BYTES) this.index.keepOutline(this.#appended, event.body)
        this.#sourceMarks.count(this.#appended, event.source)
        outcomes.capturedAt.push(capturedAt)
        outcomes.seenCounts.push(1)
        tally.events++
        tally.latest = capturedAt
        kinds.set(event.kind, (kinds.get(event.kind) ?? 0) + 1)
      } else {
        for (const { id, isCaptured } of matches.get(row) ?? []) if (isCaptured) this.#marks.mark(event.dedupeKey, id)
        const isAnswered = !rows.unanswered.includes(row)
        const repeat = this.#countRepeat(event.dedupeKey, Math.max(this.#last, now), isAnswered)
        outcomes.capturedAt.push(repeat.capturedAt)
        outcomes.seenCounts.push(repeat.seenCount)
        if (isAnswered) outcomes.repeats.push({ row, body: repeat.body })
        tallyOf(sources, repeat.source).duplicates++
      }
      row++
    }
    for (const [source, { events, duplicates, latest }] of sources) {
      if (events + duplicates > 0) this.database.run(COUNT_SOURCE, source, events, duplicates, latest)
    }
    for (const [kind, events] of kinds) this.database.run(COUNT_KIND, kind, events)
    this.#moveSubscriptions(matches, outcomes)
    return outcomes
  }

  /** New events move the subscriptions that they match: one update each, however many events there were. */
  #moveSubscriptions(rows: ReadonlyMap<number, SubscriptionMatch[]>, { capturedAt, seenCounts }: PackedOutcomes): void {
    const moved = new Map<string, { at: Micros; cursor?: string }>()
    const captured: { id: string; changes: CaptureState; cursor: string | undefined }[] = []
    for (const [row, matches] of rows) {
      for (const match of matches) {
        if (match.captured) captured.push({ id: match.id, changes: match.captured, cursor: match.cursor })
        if (seenCounts[row] !== 1) continue
        moved.set(match.id, furthest(moved.get(match.id), match, capturedAt[row] as number))
      }
    }
    for (const [id, { at, cursor }] of moved) {
      if (cursor === undefined) this.database.run(MOVE_LAST_EVENT, id, toTimestamp(at))
      else this.database.run(MOVE_CURSOR, id, toTimestamp(at), cursor)
    }
    for (const { id, changes, cursor } of captured) noteCapture(this.database, id, changes, cursor)
  }

  #insert({ dedupeKey, source, kind, subjectId, body }: EventRow, capturedAt: Micros): boolean {
    // An insert that conflicts has taken its values in first.
    if (body.length > LARGE_BODY_BYTES && this.database.first(IS_STORED, dedupeKey)) return false
    return this.database.run(INSERT_EVENT, dedupeKey, capturedAt, source, kind, subjectId, body) > 0
  }

  #countRepeat(dedupeKey: string, seenAt: Micros, isAnswered: boolean) {
    const values = [dedupeKey, toTimestamp(seenAt), isAnswered ? 1 : 0]
    const row = this.database.first(COUNT_REPEAT, ...values) ?? this.database.first(COUNT_LARGE_REPEAT, ...values)
    if (!row) throw new Error('A key that is present could not be counted.')
    return {
      source: String(row.source),
      seenCount: Number(row.seen_count),
      capturedAt: Number(row.captured_us),
      body: String(row.body),
    }
  }
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
