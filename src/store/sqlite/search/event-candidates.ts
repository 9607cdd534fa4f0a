import type { EventFilter } from '../../../model/events/event-match.js'
import type { EventQuery } from '../../../model/events/event-query.js'
import type { Micros } from '../../../model/timestamp.js'
import type { Database } from '../files/database.js'
import { bodyPatterns, LIKE_ESCAPE } from './body-patterns.js'
import { LARGE_BODY_BYTES } from './large-body.js'
import { facetExpression, textExpression } from './search-index.js'

/** Events as a range of `seq`, both ends included. Events are never deleted, so a range is a snapshot. */
export interface Range {
  low: number
  high: number
}

type Order = EventQuery['order']

/** A query without its bounds. */
export type Walk = EventFilter & Pick<EventQuery, 'order'>

/** Some events, in the order of the walk, and the `seq` up to which, in that order, there are no others. */
export interface Candidates {
  seqs: number[]
  through: number
}

const LAST_UP_TO = /* sql */ `SELECT seq FROM events WHERE captured_us <= ? ORDER BY captured_us DESC LIMIT 1`

/** `seq` of the newest event captured at this instant or earlier, which is the number of these events; 0 for none. */
export function lastUpTo(database: Database, at: Micros): number {
  return Number(database.first(LAST_UP_TO, at)?.seq ?? 0)
}

/** How many candidates one statement returns by default. */
const CANDIDATES = 256
/** A pattern such as `message.*` is expanded to the kinds that exist, up to this number. */
const EXPANDED_KINDS = 200
/** How many events one statement covers: as many as it reads in about `targetMs`. */
interface Window {
  first: number
  smallest: number
  targetMs: number
}

/** Reading from the table costs the same for each event. */
const SCAN: Window = { first: 4_096, smallest: 512, targetMs: 4 }
/** Each use of an index has a fixed cost (it looks every trigram up again), so small windows cost more. */
const LOOKUP: Window = { first: 4_096, smallest: 32_768, targetMs: 12 }
const LARGEST_WINDOW = 1_048_576
/** The next window is at most this many times as large. */
const GROWTH = 8

export function isFiltered(query: EventFilter): boolean {
  return facetExpression(query) !== undefined || (query.search?.length ?? 0) > 0
}

/**
 * Events that may match a filtered query, in its order, some at a time: from the indexes as far as they reach, beyond that
 * from the table.
 */
export function* candidates(
  database: Database,
  indexedSeq: number,
  query: Walk,
  range: Range,
  atOnce = CANDIDATES,
): Generator<Candidates> {
  const scan = scanning(database, query, atOnce)
  const lookup = indexLookup(database, query, atOnce)
  const indexed: Range = { low: range.low, high: Math.min(range.high, indexedSeq) }
  const tail: Range = { low: Math.max(range.low, indexedSeq + 1), high: range.high }
  const walk = { order: query.order, atOnce }
  const parts = [
    lookup ? inWindows(lookup, LOOKUP, walk, indexed) : inWindows(scan, SCAN, walk, indexed),
    inWindows(scan, SCAN, walk, tail),
  ]
  if (query.order === 'desc') parts.reverse()
  for (const part of parts) yield* part
}

/** Returns the first candidates of a range, in order. */
type Lookup = (order: Order, range: Range) => number[]

/**
 * Walks a range in windows that grow while statements are fast and shrink when they are slow, so that writes never wait
 * long for a single statement.
 */
function* inWindows(
  lookup: Lookup,
  size: Window,
  { order, atOnce }: { order: Order; atOnce: number },
  { low, high }: Range,
): Generator<Candidates> {
  let window = size.first
  let from = low
  let to = high
  while (from <= to) {
    const range =
      order === 'asc'
        ? { low: from, high: Math.min(to, from + window - 1) }
        : { low: Math.max(from, to - window + 1), high: to }
    const started = performance.now()
    const seqs = lookup(order, range)
    const tookMs = performance.now() - started
    const fitting = Math.round(window * Math.min(GROWTH, size.targetMs / tookMs))
    window = Math.min(LARGEST_WINDOW, Math.max(size.smallest, fitting))
    const last = seqs.length === atOnce ? seqs[atOnce - 1] : undefined
    if (order === 'asc') from = last === undefined ? range.high + 1 : last + 1
    else to = last === undefined ? range.low - 1 : last - 1
    yield { seqs, through: order === 'asc' ? from - 1 : to + 1 }
  }
}

/** By an index, if one helps: words of one or two characters have no trigram. */
function indexLookup(database: Database, query: EventFilter, atOnce: number): Lookup | undefined {
  const facets = facetExpression({ ...query, ...knownKinds(database, query) })
  const text = textExpression(query.search ?? [])
  if (text !== undefined) return textLookup(database, { text, facets, terms: query.search ?? [] }, atOnce)
  if (facets === undefined) return undefined
  return (order, { low, high }) => toSeqs(database.all(FACETS[order], facets, low, high, atOnce))
}

/** For a prefix, the index takes as long as for all words with it, however small the window. */
function knownKinds(database: Database, { kinds }: EventFilter): Pick<EventFilter, 'kinds'> {
  const known = kinds && !kinds.includes('*') && kindsOf(database, kinds)
  return known && known.length > 0 ? { kinds: known } : {}
}

/** The character after the dot: all texts that begin with a dot sort before it. */
const AFTER_DOT = '/'
const KINDS_FROM = /* sql */ `
  SELECT kind FROM kind_counters WHERE kind >= ? AND kind < ? LIMIT ${EXPANDED_KINDS + 1}`

/** The existing kinds that these patterns cover; undefined if they are too many. */
export function kindsOf(database: Database, patterns: readonly string[]): string[] | undefined {
  const kinds = new Set<string>()
  for (const pattern of patterns) {
    if (!pattern.endsWith('.*')) {
      kinds.add(pattern)
      continue
    }
    const beginning = pattern.slice(0, -2)
    for (const { kind } of database.all(KINDS_FROM, `${beginning}.`, `${beginning}${AFTER_DOT}`))
      kinds.add(String(kind))
  }
  return kinds.size > EXPANDED_KINDS ? undefined : [...kinds]
}

const facetSql = (order: string) => /* sql */ `
  SELECT rowid AS seq FROM event_facets
  WHERE event_facets MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid ${order} LIMIT ?4`
const FACETS: Record<Order, string> = { asc: facetSql('ASC'), desc: facetSql('DESC') }

/**
 * Events that contain every trigram and, in the raw text of the body, the longest term: with trigrams alone, events that
 * contain them in different places would match as well. The unary plus keeps SQLite from using the facets as the outer
 * loop, with a lookup in the text index for each of them; CROSS JOIN keeps the text index outermost.
 */
const textSql = (order: string, likely: string, withFacets: boolean) => /* sql */ `
  SELECT event_text.rowid AS seq FROM event_text CROSS JOIN events ON events.seq = event_text.rowid
  WHERE event_text MATCH ? AND event_text.rowid BETWEEN ? AND ? AND (${likely})
    ${withFacets ? 'AND +event_text.rowid IN (SELECT rowid FROM event_facets WHERE event_facets MATCH ? AND rowid BETWEEN ? AND ?)' : ''}
  ORDER BY event_text.rowid ${order} LIMIT ?`

const OVERLONG = /* sql */ `SELECT seq FROM event_text_overlong WHERE seq BETWEEN ? AND ?`

function textLookup(
  database: Database,
  { text, facets, terms }: { text: string; facets: string | undefined; terms: readonly string[] },
  atOnce: number,
): Lookup {
  const patterns = bodyPatterns(terms)
  const statement = (order: string) => textSql(order, anyPattern(patterns), facets !== undefined)
  const statements: Record<Order, string> = { asc: statement('ASC'), desc: statement('DESC') }
  return (order, { low, high }) => {
    const inFacets = facets === undefined ? [] : [facets, low, high]
    const seqs = toSeqs(database.all(statements[order], text, low, high, ...patterns, ...inFacets, atOnce))
    const overlong = toSeqs(database.all(OVERLONG, low, high))
    if (overlong.length === 0) return seqs
    const ascending = [...seqs, ...overlong].sort((left, right) => left - right)
    return (order === 'asc' ? ascending : ascending.reverse()).slice(0, atOnce)
  }
}

function anyPattern(patterns: readonly string[]): string {
  return patterns.map(() => `body LIKE ? ESCAPE '${LIKE_ESCAPE}'`).join(' OR ')
}

/**
 * From the table, by its columns and the raw text of the bodies. Large bodies are always candidates: reading one takes
 * long, and a statement cannot be divided.
 */
function scanning(database: Database, query: EventFilter, atOnce: number): Lookup {
  const patterns = query.search?.length ? bodyPatterns(query.search) : []
  const likely = anyPattern(patterns)
  const statement = (order: string) => /* sql */ `
    SELECT seq FROM events
    WHERE seq BETWEEN ? AND ? AND (? IS NULL OR source IN (SELECT value FROM json_each(?)))
      AND subject_id = coalesce(?, subject_id)
      ${likely && `AND (octet_length(body) > ${LARGE_BODY_BYTES} OR ${likely})`}
    ORDER BY seq ${order} LIMIT ?`
  const statements: Record<Order, string> = { asc: statement('ASC'), desc: statement('DESC') }
  const sources = query.sources ? JSON.stringify(query.sources) : null
  const values = [sources, sources, query.subjectId ?? null, ...patterns, atOnce]
  return (order, { low, high }) => toSeqs(database.all(statements[order], low, high, ...values))
}

function toSeqs(rows: Record<string, unknown>[]): number[] {
  return rows.map(row => Number(row.seq))
}
