import type { EventFilter } from '../../../model/events/event-match.js'
import type { EventQuery } from '../../../model/events/event-query.js'
import { foldCase } from '../../../model/events/search.js'
import { RUN_TYPES } from '../../../model/sentences/event-outcome.js'
import type { Micros } from '../../../model/timestamp.js'
import { LARGE_BODY_BYTES } from '../../large-event.js'
import type { Database } from '../files/database.js'
import { bodyPatterns, LIKE_ESCAPE } from './body-patterns.js'
import { facetExpression, type SearchIndex } from './search-index.js'
import { type Segment, termLookup } from './text-index.js'

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
/** Each use of the index has a fixed cost, so small windows cost more. */
const LOOKUP: Window = { first: 4_096, smallest: 32_768, targetMs: 12 }
const LARGEST_WINDOW = 1_048_576
/** The next window is at most this many times as large. */
const GROWTH = 8

export function isFiltered(query: EventFilter): boolean {
  return facetExpression(query) !== undefined || (query.search?.length ?? 0) > 0 || query.excluded !== undefined
}

/** What an index has, up to which event. */
export type Indexes = Pick<SearchIndex, 'indexedSeq' | 'texts'>

/**
 * Events that may match a filtered query, in its order, some at a time: from the indexes as far as they reach, beyond that
 * from the table.
 */
export function* candidates(
  database: Database,
  { indexedSeq, texts }: Indexes,
  query: Walk,
  range: Range,
  atOnce = CANDIDATES,
): Generator<Candidates> {
  const scan = scanning(database, query, atOnce)
  const walk = { order: query.order, atOnce }
  // The newest segment may grow between two pieces: what it gains is in the tail.
  const inTexts = textCandidates(database, texts.segments, query, upTo(range, texts.through))
  const through = inTexts ? texts.through : indexedSeq
  const indexed = upTo(range, through)
  const tail: Range = { low: Math.max(range.low, through + 1), high: range.high }
  const facets = facetExpression({ ...query, ...knownKinds(database, query) })
  const lookup = facets === undefined ? undefined : facetLookup(database, facets, atOnce)
  const parts = [
    inTexts ?? (lookup ? inWindows(lookup, LOOKUP, walk, indexed) : inWindows(scan, SCAN, walk, indexed)),
    inWindows(scan, SCAN, walk, tail),
  ]
  if (query.order === 'desc') parts.reverse()
  for (const part of parts) yield* part
}

function upTo({ low, high }: Range, last: number): Range {
  return { low, high: Math.min(high, last) }
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

function facetLookup(database: Database, facets: string, atOnce: number): Lookup {
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

/** Of the events with these numbers, those whose raw body has the longest term, and those with a large body. */
const likelySql = (likely: string) => /* sql */ `
  SELECT seq FROM events WHERE seq IN (SELECT value FROM json_each(?))
    AND (octet_length(body) > ${LARGE_BODY_BYTES} OR ${likely})`

const OVERLONG = /* sql */ `SELECT seq FROM event_text_overlong WHERE seq BETWEEN ? AND ?`

/** If more events of a segment than this have the columns of the terms, facets may narrow them. */
const MANY = 64
/** Facets that so many events of a segment have narrow a search little. */
const COMMON = 512

/** Segment by segment. Undefined if signatures do not help with these terms. */
function textCandidates(
  database: Database,
  segments: readonly Segment[],
  query: Walk,
  range: Range,
): Generator<Candidates> | undefined {
  const { search = [], order } = query
  const lookup = search.length > 0 ? termLookup(search) : undefined
  if (!lookup) return undefined
  const patterns = bodyPatterns(search)
  const likely = likelySql(anyPattern(patterns))
  const facets = facetExpression({ ...query, ...knownKinds(database, query) })
  const narrowed = (seqs: number[], { low, high }: Range): number[] => {
    if (facets === undefined || seqs.length <= MANY) return seqs
    const having = toSeqs(database.all(FACETS.asc, facets, low, high, COMMON))
    if (having.length === COMMON) return seqs
    const known = new Set(having)
    return seqs.filter(seq => known.has(seq))
  }
  const overlapping = segments.filter(({ firstSeq, lastSeq }) => firstSeq <= range.high && lastSeq >= range.low)
  return inSegments(order === 'asc' ? overlapping : overlapping.reverse())

  function* inSegments(walked: readonly Segment[]): Generator<Candidates> {
    for (const segment of walked) {
      const part: Range = { low: Math.max(range.low, segment.firstSeq), high: Math.min(range.high, segment.lastSeq) }
      const found = lookup?.(segment).filter(seq => seq >= part.low && seq <= part.high) ?? []
      const overlong = toSeqs(database.all(OVERLONG, part.low, part.high))
      const seqs = [...narrowed(found, part), ...overlong].sort((left, right) => left - right)
      if (order === 'desc') seqs.reverse()
      for (let at = 0; at < seqs.length; at += CANDIDATES) {
        const some = seqs.slice(at, at + CANDIDATES)
        const kept = toSeqs(database.all(likely, JSON.stringify(some), ...patterns)).sort((left, right) => left - right)
        yield { seqs: order === 'asc' ? kept : kept.reverse(), through: some.at(-1) as number }
      }
      yield { seqs: [], through: order === 'asc' ? part.high : part.low }
    }
  }
}

function anyPattern(patterns: readonly string[]): string {
  return patterns.map(() => `body LIKE ? ESCAPE '${LIKE_ESCAPE}'`).join(' OR ')
}

/** Conditions on the columns of `events`: all that a filter excludes by `source`, and by `kind` if not by too many. */
export function excludedColumns(database: Database, { excluded }: EventFilter): { sql: string; values: string[] } {
  const lists = { source: excluded?.sources, kind: excluded?.kinds && kindsOf(database, excluded.kinds) }
  const given = Object.entries(lists).flatMap(([column, values]) => (values ? [{ column, values }] : []))
  return {
    sql: given.map(({ column }) => `AND ${column} NOT IN (SELECT value FROM json_each(?))`).join(' '),
    values: given.map(({ values }) => JSON.stringify(values)),
  }
}

/** What every event with an outcome has: see `outcomeOf`. */
const MAY_HAVE_OUTCOME = /* sql */ `(NOT json_valid(body) OR body ->> '$.action.outcome' IS NOT NULL
  OR body ->> '$.action.object_type' IN (${[...RUN_TYPES, 'review'].map(type => `'${type}'`).join()}))`

/** More patterns than this cost more than they save. */
const SCANNED_PATTERNS = 20

/**
 * From the table, by its columns and the raw text of the bodies. Large bodies are always candidates: reading one takes
 * long, and a statement cannot be divided.
 */
function scanning(database: Database, query: EventFilter, atOnce: number): Lookup {
  const { search, actors, target, sources, outcomes, subjectId = null } = query
  const contained = [search, target === undefined ? undefined : [foldCase(target)]]
    .filter(terms => terms?.length)
    .map(terms => bodyPatterns(terms as readonly string[]))
  if (actors) contained.push(actors.flatMap(actor => bodyPatterns([foldCase(actor)])))
  const likely = contained.filter(patterns => patterns.length <= SCANNED_PATTERNS)
  const conditions = [...likely.map(anyPattern), ...(outcomes ? [MAY_HAVE_OUTCOME] : [])]
  const bodies = conditions.map(condition => `AND (octet_length(body) > ${LARGE_BODY_BYTES} OR ${condition})`)
  const excluded = excludedColumns(database, query)
  const { kinds } = knownKinds(database, query)
  const statement = (order: string) => /* sql */ `
    SELECT seq FROM events
    WHERE seq BETWEEN ? AND ? AND (? IS NULL OR source IN (SELECT value FROM json_each(?)))
      AND (? IS NULL OR kind IN (SELECT value FROM json_each(?)))
      AND subject_id = coalesce(?, subject_id) ${excluded.sql} ${bodies.join(' ')}
    ORDER BY seq ${order} LIMIT ?`
  const statements: Record<Order, string> = { asc: statement('ASC'), desc: statement('DESC') }
  const listed = (values: readonly string[] | undefined) => (values ? JSON.stringify(values) : null)
  const columns = [listed(sources), listed(sources), listed(kinds), listed(kinds), subjectId, ...excluded.values]
  const values = [...columns, ...likely.flat(), atOnce]
  return (order, { low, high }) => toSeqs(database.all(statements[order], low, high, ...values))
}

function toSeqs(rows: Record<string, unknown>[]): number[] {
  return rows.map(row => Number(row.seq))
}
