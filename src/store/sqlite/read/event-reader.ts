import type { StoredEvent } from '../../../model/events/event.js'
import { type EventPage, type EventQuery, nextCheckpoint } from '../../../model/events/event-query.js'
import type { Micros } from '../../../model/timestamp.js'
import { LARGE_EVENT_BYTES } from '../../large-event.js'
import type { PrunedEvents } from '../erase/pruned-events.js'
import type { Database, Row } from '../files/database.js'
import { candidates, isFiltered, lastUpTo, type Range } from '../search/event-candidates.js'
import { readBodyBytes, readOutline } from '../search/large-body.js'
import { rowMatcher } from '../search/row-matcher.js'
import type { SearchIndex } from '../search/search-index.js'
import { readBounds } from './ledger-bounds.js'

/** A page ends early, with `hasMore`, before a few huge events fill the memory. */
const PAGE_BYTES = 16 * 1024 * 1024
/** How long a slice may take: writes wait for it. */
const SLICE_MS = 4
const COMMA = 0x2c

const FIRST_AFTER = /* sql */ `SELECT seq FROM events WHERE captured_us > ? ORDER BY captured_us LIMIT 1`
const ROW = /* sql */ `
  SELECT seq, captured_us, source, kind, subject_id, octet_length(body) AS bytes,
    CASE WHEN octet_length(body) <= ${LARGE_EVENT_BYTES} THEN body END AS body
  FROM events WHERE seq = ?`

const rangePage = (order: 'ASC' | 'DESC') => /* sql */ `
  SELECT CAST(group_concat(body, ',') AS BLOB) AS items, count(*) AS count, min(seq) AS low, max(seq) AS high,
    min(captured_us) AS oldest, max(captured_us) AS newest
  FROM (SELECT seq, captured_us, body FROM events WHERE seq BETWEEN ? AND ? ORDER BY seq ${order} LIMIT ?)`
const RANGE_PAGE = { asc: rangePage('ASC'), desc: rangePage('DESC') }

const rangeBytes = (order: 'ASC' | 'DESC') => /* sql */ `
  SELECT octet_length(body) AS bytes FROM events WHERE seq BETWEEN ? AND ? ORDER BY seq ${order} LIMIT ?`
const RANGE_BYTES = { asc: rangeBytes('ASC'), desc: rangeBytes('DESC') }

/** Facts about the whole ledger in an answer. */
export interface LedgerContext {
  pruned: Pick<PrunedEvents, 'through' | 'throughAt' | 'earliest'>
  epoch: string
}

interface Found {
  seq: number
  capturedAt: Micros
  body: Buffer
}

/**
 * Answers a query in slices: when it yields, writes may run. It reads the ledger as it was at the beginning, without what is
 * removed later. With filters, the indexes give candidates, and `eventMatches` decides about each.
 */
export function* readPage(
  database: Database,
  index: SearchIndex,
  { pruned, epoch }: LedgerContext,
  query: EventQuery,
): Generator<void, EventPage> {
  const { seq: newest, head } = readBounds(database)
  const range = rangeOf(database, query, newest)
  range.low = Math.max(range.low, pruned.through + 1)
  const page =
    isFiltered(query) || query.withoutPayload
      ? yield* filteredPage(database, index, rowMatcher(database, pruned, query), query, range)
      : plainPage(database, query, range)
  // Only now: the page also lacks what was removed while it was read.
  const { earliest, throughAt: prunedThrough } = pruned
  // V8 builds a literal with members behind a spread slowly: a twentieth of this thread, with small pages.
  return Object.assign(page, { nextSince: nextCheckpoint(query, page, head), head, earliest, prunedThrough, epoch })
}

type Page = Omit<EventPage, 'nextSince' | 'head' | 'earliest' | 'prunedThrough' | 'epoch'>

/** A new page each time, because its buffer is transferred. */
function emptyPage(): Page {
  return { items: new Uint8Array(), count: 0, latestCapturedAt: null, oldestCapturedAt: null, hasMore: false }
}

function rangeOf(database: Database, query: EventQuery, last: number): Range {
  const after = Math.max(query.since ?? -1, (query.from ?? 0) - 1)
  const low = after < 0 ? 1 : Number(database.first(FIRST_AFTER, after)?.seq ?? last + 1)
  const high = query.to === undefined ? last : lastUpTo(database, query.to)
  return { low, high: Math.min(high, last) }
}

/** SQLite joins the stored texts: the driver passes one value of bytes, not rows. */
function plainPage(database: Database, query: EventQuery, { low, high }: Range): Page {
  if (low > high) return emptyPage()
  const { rows, neededBytes } = rowsThatFit(database, query, { low, high })
  if (neededBytes !== undefined) return { ...emptyPage(), hasMore: true, neededBytes }
  const page = database.first(RANGE_PAGE[query.order], low, high, rows)
  if (!page) throw new Error('An aggregate answers with one row.')
  return {
    items: page.items as Uint8Array,
    count: Number(page.count),
    latestCapturedAt: Number(page.newest),
    oldestCapturedAt: Number(page.oldest),
    hasMore: query.order === 'asc' ? Number(page.high) < high : Number(page.low) > low,
  }
}

function rowsThatFit(
  database: Database,
  query: EventQuery,
  { low, high }: Range,
): { rows: number; neededBytes?: number } {
  let bytes = 0
  let rows = 0
  for (const row of database.all(RANGE_BYTES[query.order], low, high, query.limit)) {
    bytes += Number(row.bytes)
    if (!fits(query, rows, bytes)) return { rows, ...neededFor(rows, bytes) }
    rows++
  }
  return { rows }
}

/** @param rows of the page so far @param bytes with one more */
function fits({ maxBytes }: EventQuery, rows: number, bytes: number): boolean {
  return maxBytes === undefined ? bytes <= PAGE_BYTES || rows === 0 : bytes <= maxBytes
}

function neededFor(rows: number, bytes: number): Pick<EventPage, 'neededBytes'> {
  return rows === 0 ? { neededBytes: bytes } : {}
}

function* filteredPage(
  database: Database,
  index: SearchIndex,
  matches: ReturnType<typeof rowMatcher>,
  query: EventQuery,
  range: Range,
): Generator<void, Page> {
  const found: Found[] = []
  let bytes = 0
  let hasMore = false
  let needed: Pick<EventPage, 'neededBytes'> = {}
  let sliceStarted = performance.now()
  for (const { seqs } of candidates(database, index, query, range)) {
    for (const seq of seqs) {
      if (performance.now() - sliceStarted > SLICE_MS) {
        yield
        sliceStarted = performance.now()
      }
      const row = database.first(ROW, seq)
      if (!row || !(yield* matches(row))) continue
      if (found.length === query.limit) {
        hasMore = true
        break
      }
      const stripped = query.withoutPayload && bodyWithoutPayload(database, row)
      bytes += stripped ? stripped.length : Number(row.bytes)
      if (!fits(query, found.length, bytes)) {
        hasMore = true
        needed = neededFor(found.length, bytes)
        break
      }
      found.push({ seq, capturedAt: Number(row.captured_us), body: stripped || bodyOf(database, row) })
    }
    if (hasMore) break
    if (performance.now() - sliceStarted > SLICE_MS) {
      yield
      sliceStarted = performance.now()
    }
  }
  const [first, last] = [found[0]?.capturedAt ?? null, found.at(-1)?.capturedAt ?? null]
  const [oldest, newest] = query.order === 'asc' ? [first, last] : [last, first]
  return {
    items: joinBodies(found),
    count: found.length,
    latestCapturedAt: newest,
    oldestCapturedAt: oldest,
    hasMore,
    ...needed,
  }
}

function bodyOf(database: Database, { seq, body }: Row): Buffer {
  return body === null ? readBodyBytes(database, Number(seq)) : Buffer.from(String(body))
}

function bodyWithoutPayload(database: Database, { seq, body }: Row): Buffer {
  const event = body === null ? readOutline(database, Number(seq)) : (JSON.parse(String(body)) as StoredEvent)
  const { payload: _, ...others } = event
  return Buffer.from(JSON.stringify(others))
}

/** Joined by commas, in a separate buffer, which can be transferred. */
function joinBodies(found: readonly Found[]): Uint8Array {
  const items = new Uint8Array(found.reduce((size, { body }) => size + body.length + 1, 0))
  let end = 0
  for (const { body } of found) {
    items.set(body, end)
    end += body.length
    items[end++] = COMMA
  }
  return items.subarray(0, -1)
}
