import type { StoredEvent } from '../../model/event.js'
import { type EventFilter, eventMatches, kindMatches } from '../../model/event-match.js'
import type { EventPage, EventQuery } from '../../model/event-query.js'
import { caseVariants } from '../../model/search.js'
import type { Micros } from '../../model/timestamp.js'
import type { Database } from './database.js'
import { facetExpression, type SearchIndex, textExpression } from './search-index.js'

/** A page stops early, saying that there is more, rather than fill the memory with a few huge events. */
const PAGE_BYTES = 16 * 1024 * 1024
/** How long a query may go on before writes get their turn. */
const SLICE_MS = 4
const SCAN_ROWS = 512
const CANDIDATES = 256
const WINDOW = { first: 16_384, smallest: 1_024, largest: 1_048_576, slowMs: 6, fastMs: 2 }

const FIRST_AFTER = /* sql */ `SELECT seq FROM events WHERE captured_us > ? ORDER BY captured_us LIMIT 1`
const LAST_UP_TO = /* sql */ `SELECT seq FROM events WHERE captured_us <= ? ORDER BY captured_us DESC LIMIT 1`
const LAST = /* sql */ `SELECT seq, captured_us FROM events ORDER BY seq DESC LIMIT 1`
const ROW = /* sql */ `SELECT seq, captured_us, source, kind, subject_id, body FROM events WHERE seq = ?`

const rangePage = (order: 'ASC' | 'DESC') => /* sql */ `
  SELECT CAST(group_concat(body, ',') AS BLOB) AS items, count(*) AS count, min(seq) AS low, max(seq) AS high,
    min(captured_us) AS oldest, max(captured_us) AS newest
  FROM (SELECT seq, captured_us, body FROM events WHERE seq BETWEEN ? AND ? ORDER BY seq ${order} LIMIT ?)`
const RANGE_PAGE = { asc: rangePage('ASC'), desc: rangePage('DESC') }

const rangeBytes = (order: 'ASC' | 'DESC') => /* sql */ `
  SELECT octet_length(body) AS bytes FROM events WHERE seq BETWEEN ? AND ? ORDER BY seq ${order} LIMIT ?`
const RANGE_BYTES = { asc: rangeBytes('ASC'), desc: rangeBytes('DESC') }

/** What is asked about, as rows: events never go, so a range of `seq` is a snapshot of its own. */
interface Range {
  low: number
  high: number
}

interface Found {
  seq: number
  capturedAt: Micros
  body: string
}

/**
 * Answers a query in slices: whenever it yields, writes may go on. It sees the ledger as it was when it began.
 * With filters the indexes name candidates, and `eventMatches` decides about each.
 */
export function* readPage(
  database: Database,
  index: SearchIndex,
  epoch: string,
  query: EventQuery,
): Generator<void, EventPage> {
  const newest = database.first(LAST)
  const head = newest ? Number(newest.captured_us) : null
  const range = rangeOf(database, query, newest ? Number(newest.seq) : 0)
  const page = isFiltered(query)
    ? yield* filteredPage(database, index, query, range)
    : plainPage(database, query, range)
  const upTo = head !== null && query.to !== undefined ? Math.min(head, query.to) : head
  return {
    items: page.items,
    count: page.count,
    latestCapturedAt: page.newest,
    nextSince: nextCheckpoint(query, page, upTo),
    hasMore: page.hasMore,
    head,
    epoch,
  }
}

interface Page {
  items: Uint8Array
  count: number
  newest: Micros | null
  hasMore: boolean
}

/**
 * While more match, a consumer goes on from the last item it was given; then from the head of this snapshot, so that
 * a filtered consumer does not read the same misses again. Newest first with a remainder leaves older matches
 * unread, so there the checkpoint stays where it was.
 */
function nextCheckpoint(query: EventQuery, page: Page, head: Micros | null): Micros | null {
  if (query.order === 'asc' && page.hasMore) return page.newest
  if (query.since === undefined) return head
  if (page.hasMore || head === null) return query.since
  return Math.max(query.since, head)
}

function rangeOf(database: Database, query: EventQuery, last: number): Range {
  const after = Math.max(query.since ?? -1, (query.from ?? 0) - 1)
  const low = after < 0 ? 1 : Number(database.first(FIRST_AFTER, after)?.seq ?? last + 1)
  const high = query.to === undefined ? last : Number(database.first(LAST_UP_TO, query.to)?.seq ?? 0)
  return { low, high: Math.min(high, last) }
}

function isFiltered(query: EventQuery): boolean {
  return facetExpression(query) !== undefined || query.search !== undefined
}

/** SQLite joins the stored texts itself: a page of bytes crosses the border, not rows. */
function plainPage(database: Database, query: EventQuery, { low, high }: Range): Page {
  if (low > high) return { items: new Uint8Array(), count: 0, newest: null, hasMore: false }
  const rows = rowsThatFit(database, query, { low, high })
  const page = database.first(RANGE_PAGE[query.order], low, high, rows)
  if (!page) throw new Error('An aggregate answers with one row.')
  return {
    items: page.items as Uint8Array,
    count: Number(page.count),
    newest: Number(page.newest),
    hasMore: query.order === 'asc' ? Number(page.high) < high : Number(page.low) > low,
  }
}

function rowsThatFit(database: Database, query: EventQuery, { low, high }: Range): number {
  let bytes = 0
  let rows = 0
  for (const row of database.all(RANGE_BYTES[query.order], low, high, query.limit)) {
    bytes += Number(row.bytes)
    if (bytes > PAGE_BYTES && rows > 0) break
    rows++
  }
  return rows
}

function* filteredPage(database: Database, index: SearchIndex, query: EventQuery, range: Range): Generator<void, Page> {
  const matches = rowMatcher(query)
  const found: Found[] = []
  let bytes = 0
  let hasMore = false
  let sliceStarted = performance.now()
  for (const seqs of candidates(database, index.indexedSeq, query, range)) {
    for (const seq of seqs) {
      if (performance.now() - sliceStarted > SLICE_MS) {
        yield
        sliceStarted = performance.now()
      }
      const row = database.first(ROW, seq)
      if (!row || !matches(row)) continue
      const body = String(row.body)
      bytes += body.length
      if (found.length === query.limit || (bytes > PAGE_BYTES && found.length > 0)) {
        hasMore = true
        break
      }
      found.push({ seq, capturedAt: Number(row.captured_us), body })
    }
    if (hasMore) break
    if (performance.now() - sliceStarted > SLICE_MS) {
      yield
      sliceStarted = performance.now()
    }
  }
  const newest = query.order === 'asc' ? found.at(-1) : found[0]
  return {
    items: new TextEncoder().encode(found.map(event => event.body).join(',')),
    count: found.length,
    newest: newest?.capturedAt ?? null,
    hasMore,
  }
}

/**
 * Decides about a row by the cheapest means: its columns, then the raw text of its body (the engine's own case folding
 * is the promised one, and JSON text spells what a string holds in one way), and only then the parsed event.
 */
function rowMatcher(filter: EventFilter): (row: Record<string, unknown>) => boolean {
  const columnsDecide =
    filter.subscriptionId === undefined &&
    filter.actor === undefined &&
    filter.target === undefined &&
    filter.verified === undefined &&
    filter.search === undefined
  const patterns = filter.search?.map(term => new RegExp(toPattern(spelling(term)), 'iu')) ?? []
  return row => {
    if (filter.source !== undefined && row.source !== filter.source) return false
    if (filter.kinds !== undefined && !filter.kinds.some(kind => kindMatches(String(row.kind), kind))) return false
    if (filter.subjectId !== undefined && row.subject_id !== filter.subjectId) return false
    if (columnsDecide) return true
    const body = String(row.body)
    return patterns.every(pattern => pattern.test(body)) && eventMatches(JSON.parse(body) as StoredEvent, filter)
  }
}

/** How a text stands inside a JSON string. */
function spelling(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function toPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, '\\$&')
}

/** Rows that may match, in the query's order, a slice at a time: the indexed part through its index, the rest all. */
function* candidates(database: Database, indexedSeq: number, query: EventQuery, range: Range): Generator<number[]> {
  const indexed: Range = { low: range.low, high: Math.min(range.high, indexedSeq) }
  const tail: Range = { low: Math.max(range.low, indexedSeq + 1), high: range.high }
  const narrowed = narrowing(database, query)
  const parts = [narrowed ? indexCandidates(narrowed, query.order, indexed) : everySeq(query.order, indexed)]
  parts.push(everySeq(query.order, tail))
  if (query.order === 'desc') parts.reverse()
  for (const part of parts) yield* part
}

function* everySeq(order: 'asc' | 'desc', { low, high }: Range): Generator<number[]> {
  for (let from = low; from <= high; from += SCAN_ROWS) {
    const size = Math.min(SCAN_ROWS, high - from + 1)
    const first = order === 'asc' ? from : high - (from - low)
    yield Array.from({ length: size }, (_, step) => (order === 'asc' ? first + step : first - step))
  }
}

/** Names up to `CANDIDATES` rows of a range, in order. */
type Narrowing = (order: 'asc' | 'desc', range: Range) => number[]

function narrowing(database: Database, query: EventQuery): Narrowing | undefined {
  const facets = facetExpression(query)
  const text = textExpression(query.search ?? [])
  if (text !== undefined) return (order, range) => textCandidates(database, text, facets, order, range)
  if (facets !== undefined) return (order, range) => facetCandidates(database, facets, order, range)
  const shortest = query.search?.[0]
  return shortest === undefined ? undefined : shortWordCandidates(database, shortest)
}

/**
 * Walks a range in windows that grow while they are answered fast and shrink when they are not, so that no single
 * statement keeps the writers waiting.
 */
function* indexCandidates(narrow: Narrowing, order: 'asc' | 'desc', { low, high }: Range): Generator<number[]> {
  let window = WINDOW.first
  let from = low
  let to = high
  while (from <= to) {
    const range =
      order === 'asc'
        ? { low: from, high: Math.min(to, from + window - 1) }
        : { low: Math.max(from, to - window + 1), high: to }
    const started = performance.now()
    const seqs = narrow(order, range)
    const tookMs = performance.now() - started
    if (tookMs > WINDOW.slowMs) window = Math.max(WINDOW.smallest, window >> 1)
    else if (tookMs < WINDOW.fastMs) window = Math.min(WINDOW.largest, window << 1)
    const last = seqs.length === CANDIDATES ? seqs[CANDIDATES - 1] : undefined
    if (order === 'asc') from = last === undefined ? range.high + 1 : last + 1
    else to = last === undefined ? range.low - 1 : last - 1
    yield seqs
  }
}

const facetSql = (order: 'ASC' | 'DESC') => /* sql */ `
  SELECT rowid AS seq FROM event_facets
  WHERE event_facets MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid ${order} LIMIT ?4`
const FACETS = { asc: facetSql('ASC'), desc: facetSql('DESC') }

function facetCandidates(database: Database, facets: string, order: 'asc' | 'desc', { low, high }: Range): number[] {
  return database.all(FACETS[order], facets, low, high, CANDIDATES).map(row => Number(row.seq))
}

const textSql = (order: 'ASC' | 'DESC') => /* sql */ `
  SELECT rowid AS seq FROM event_text
  WHERE event_text MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid ${order} LIMIT ?4`
const TEXT = { asc: textSql('ASC'), desc: textSql('DESC') }

/** The unary plus keeps SQLite from driving by the facets and asking the text index once for each of them. */
const textAndFacetsSql = (order: 'ASC' | 'DESC') => /* sql */ `
  SELECT rowid AS seq FROM event_text
  WHERE event_text MATCH ?1 AND rowid BETWEEN ?2 AND ?3 AND +rowid IN (
    SELECT rowid FROM event_facets WHERE event_facets MATCH ?5 AND rowid BETWEEN ?2 AND ?3)
  ORDER BY rowid ${order} LIMIT ?4`
const TEXT_AND_FACETS = { asc: textAndFacetsSql('ASC'), desc: textAndFacetsSql('DESC') }

const OVERLONG = /* sql */ `SELECT seq FROM event_text_overlong WHERE seq BETWEEN ? AND ?`

function textCandidates(
  database: Database,
  text: string,
  facets: string | undefined,
  order: 'asc' | 'desc',
  { low, high }: Range,
): number[] {
  const rows =
    facets === undefined
      ? database.all(TEXT[order], text, low, high, CANDIDATES)
      : database.all(TEXT_AND_FACETS[order], text, low, high, CANDIDATES, facets)
  const seqs = rows.map(row => Number(row.seq))
  const overlong = database.all(OVERLONG, low, high).map(row => Number(row.seq))
  if (overlong.length === 0) return seqs
  const ascending = [...seqs, ...overlong].sort((left, right) => left - right)
  return (order === 'asc' ? ascending : ascending.reverse()).slice(0, CANDIDATES)
}

/**
 * Words of one or two characters have no trigram: every stored text of the range is looked through for the word in
 * each way it may be written. JSON text keeps all but quotes, backslashes and controls as they are.
 */
function shortWordCandidates(database: Database, word: string): Narrowing {
  const spellings = spellingsOf(word)
  const contains = spellings.map(() => 'instr(body, ?) > 0').join(' OR ')
  const sql = (order: string) => /* sql */ `
    SELECT seq FROM events WHERE seq BETWEEN ? AND ? AND (${contains}) ORDER BY seq ${order} LIMIT ?`
  const statements = { asc: sql('ASC'), desc: sql('DESC') }
  return (order, { low, high }) =>
    database.all(statements[order], low, high, ...spellings, CANDIDATES).map(row => Number(row.seq))
}

function spellingsOf(word: string): string[] {
  let spellings = ['']
  for (const character of word) {
    spellings = spellings.flatMap(begun => caseVariants(character).map(variant => begun + variant))
  }
  return spellings.map(spelling)
}
