import type { EventQuery } from '../../model/event-query.js'
import { bodyPatterns, LIKE_ESCAPE } from './body-patterns.js'
import type { Database } from './database.js'
import { LARGE_BODY_BYTES } from './large-body.js'
import { facetExpression, textExpression } from './search-index.js'

/** Rows as a range of `seq`, both ends included. Events never go, so a range is a snapshot of its own. */
export interface Range {
  low: number
  high: number
}

type Order = EventQuery['order']

/** Rows named at a time. */
const CANDIDATES = 256
/** How much of the ledger one statement walks over, in rows: as much as it manages in about `targetMs`. */
interface Window {
  first: number
  smallest: number
  targetMs: number
}

/** Reading the events themselves costs the same for each. */
const SCAN: Window = { first: 4_096, smallest: 512, targetMs: 4 }
/** Asking an index has a price of its own (each trigram is looked up anew), so small windows cost more, not less. */
const LOOKUP: Window = { first: 4_096, smallest: 32_768, targetMs: 12 }
const LARGEST_WINDOW = 1_048_576
/** The next window is at most so many times the last. */
const GROWTH = 8

export function isFiltered(query: EventQuery): boolean {
  return facetExpression(query) !== undefined || (query.search?.length ?? 0) > 0
}

/**
 * Rows that may match a filtered query, in its order, some at a time: through the indexes as far as they reach, from
 * the events themselves beyond.
 */
export function* candidates(
  database: Database,
  indexedSeq: number,
  query: EventQuery,
  range: Range,
): Generator<number[]> {
  const scan = scanning(database, query)
  const lookup = indexLookup(database, query)
  const indexed: Range = { low: range.low, high: Math.min(range.high, indexedSeq) }
  const tail: Range = { low: Math.max(range.low, indexedSeq + 1), high: range.high }
  const parts = [
    lookup ? inWindows(lookup, LOOKUP, query.order, indexed) : inWindows(scan, SCAN, query.order, indexed),
    inWindows(scan, SCAN, query.order, tail),
  ]
  if (query.order === 'desc') parts.reverse()
  for (const part of parts) yield* part
}

/** Names the first `CANDIDATES` rows of a range, in order. */
type Lookup = (order: Order, range: Range) => number[]

/**
 * Walks a range in windows that grow while they are answered fast and shrink when they are not, so that no single
 * statement keeps the writers waiting.
 */
function* inWindows(lookup: Lookup, size: Window, order: Order, { low, high }: Range): Generator<number[]> {
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
    const last = seqs.length === CANDIDATES ? seqs[CANDIDATES - 1] : undefined
    if (order === 'asc') from = last === undefined ? range.high + 1 : last + 1
    else to = last === undefined ? range.low - 1 : last - 1
    yield seqs
  }
}

/** By index, where one helps: words of one or two characters alone have no trigram. */
function indexLookup(database: Database, query: EventQuery): Lookup | undefined {
  const facets = facetExpression(query)
  const text = textExpression(query.search ?? [])
  if (text !== undefined) return textLookup(database, text, facets, query.search ?? [])
  if (facets !== undefined) return (order, range) => toSeqs(database.all(FACETS[order], facets, range.low, range.high))
  return undefined
}

const facetSql = (order: string) => /* sql */ `
  SELECT rowid AS seq FROM event_facets
  WHERE event_facets MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid ${order} LIMIT ${CANDIDATES}`
const FACETS: Record<Order, string> = { asc: facetSql('ASC'), desc: facetSql('DESC') }

/**
 * Events that hold every trigram and, in the raw text of the body, the longest term itself: trigrams alone also name
 * events that hold them apart. The unary plus keeps SQLite from driving by the facets and asking the text index once
 * for each of them; CROSS JOIN keeps the text index outermost.
 */
const textSql = (order: string, likely: string, withFacets: boolean) => /* sql */ `
  SELECT event_text.rowid AS seq FROM event_text CROSS JOIN events ON events.seq = event_text.rowid
  WHERE event_text MATCH ? AND event_text.rowid BETWEEN ? AND ? AND (${likely})
    ${withFacets ? 'AND +event_text.rowid IN (SELECT rowid FROM event_facets WHERE event_facets MATCH ? AND rowid BETWEEN ? AND ?)' : ''}
  ORDER BY event_text.rowid ${order} LIMIT ${CANDIDATES}`

const OVERLONG = /* sql */ `SELECT seq FROM event_text_overlong WHERE seq BETWEEN ? AND ?`

function textLookup(database: Database, text: string, facets: string | undefined, terms: readonly string[]): Lookup {
  const patterns = bodyPatterns(terms)
  const statement = (order: string) => textSql(order, anyPattern(patterns), facets !== undefined)
  const statements: Record<Order, string> = { asc: statement('ASC'), desc: statement('DESC') }
  return (order, { low, high }) => {
    const inFacets = facets === undefined ? [] : [facets, low, high]
    const seqs = toSeqs(database.all(statements[order], text, low, high, ...patterns, ...inFacets))
    const overlong = toSeqs(database.all(OVERLONG, low, high))
    if (overlong.length === 0) return seqs
    const ascending = [...seqs, ...overlong].sort((left, right) => left - right)
    return (order === 'asc' ? ascending : ascending.reverse()).slice(0, CANDIDATES)
  }
}

function anyPattern(patterns: readonly string[]): string {
  return patterns.map(() => `body LIKE ? ESCAPE '${LIKE_ESCAPE}'`).join(' OR ')
}

/**
 * From the events themselves, by what their columns and the raw text of their bodies can tell. Large bodies are not
 * looked into here: each takes a while, and a statement cannot be divided.
 */
function scanning(database: Database, query: EventQuery): Lookup {
  const patterns = query.search?.length ? bodyPatterns(query.search) : []
  const likely = anyPattern(patterns)
  const statement = (order: string) => /* sql */ `
    SELECT seq FROM events
    WHERE seq BETWEEN ? AND ? AND source = coalesce(?, source) AND subject_id = coalesce(?, subject_id)
      ${likely && `AND (octet_length(body) > ${LARGE_BODY_BYTES} OR ${likely})`}
    ORDER BY seq ${order} LIMIT ${CANDIDATES}`
  const statements: Record<Order, string> = { asc: statement('ASC'), desc: statement('DESC') }
  const { source = null, subjectId = null } = query
  return (order, { low, high }) => toSeqs(database.all(statements[order], low, high, source, subjectId, ...patterns))
}

function toSeqs(rows: Record<string, unknown>[]): number[] {
  return rows.map(row => Number(row.seq))
}
