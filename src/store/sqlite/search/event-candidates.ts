import { type EventFilter, kindMatches } from '../../../model/events/event-match.js'
import type { EventQuery } from '../../../model/events/event-query.js'
import { foldCase } from '../../../model/events/search.js'
import { RUN_TYPES } from '../../../model/sentences/event-outcome.js'
import type { Micros } from '../../../model/timestamp.js'
import { LARGE_EVENT_BYTES } from '../../large-event.js'
import type { Database } from '../files/database.js'
import { bodyPatterns, LIKE_ESCAPE } from './body-patterns.js'
import { FACETS, facetLists, LISTED, toSeqs } from './facet-lists.js'
import { wantedFacets } from './facets.js'
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

/** Some events, in the order of the walk, and the `seq` up to which there are no others in that order. */
interface Candidates {
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
/** Patterns such as `message.*`, and exclusions, are expanded to the kinds that exist, up to this number. */
const EXPANDED_KINDS = 200
const EXPANDED_SOURCES = 50
/** Number of events that one statement covers: as many as it reads in about `targetMs`. */
interface Window {
  first: number
  smallest: number
  targetMs: number
  /** Whether a statement has a cost that a smaller window does not lower. */
  hasFixedCost: boolean
}

/** Reading from the table costs the same for each event. */
const SCAN: Window = { first: 4_096, smallest: 512, targetMs: 4, hasFixedCost: false }
/** If two frequent facets never occur in one event, each statement reads both lists to their ends: 15 ms for a million. */
const LOOKUP: Window = { first: 4_096, smallest: 32_768, targetMs: 12, hasFixedCost: true }
const LARGEST_WINDOW = 4_194_304
/** The next window is at most this many times as large. */
const GROWTH = 8

export function isFiltered(query: EventFilter): boolean {
  const { search, excluded, occurredFrom, occurredTo } = query
  if (excluded !== undefined || occurredFrom !== undefined || occurredTo !== undefined) return true
  return facetExpression(query) !== undefined || (search?.length ?? 0) > 0
}

/** The indexes, and the last event in each. */
export type Indexes = Pick<SearchIndex, 'indexedSeq' | 'texts' | 'unindexed'>

/**
 * Events that may match a filtered query, in its order, some at a time. They come from the indexes as far as these
 * reach; beyond that, from the marks of facets or from the table.
 */
export function* candidates(
  database: Database,
  { indexedSeq, texts, unindexed }: Indexes,
  query: Walk,
  range: Range,
  atOnce = CANDIDATES,
): Generator<Candidates> {
  const known = withKnownValues(database, query)
  if (!known) return
  const facets = facetExpression(known)
  const scan = scanning(database, query, atOnce)
  const walk = { order: query.order, atOnce }
  const likely = likelyBySearch(database, query)
  // The newest segment may grow between two pieces: events added to it are in the tail.
  const inTexts = textCandidates(database, texts.segments, { query, facets, likely }, upTo(range, texts.through))
  const through = inTexts ? texts.through : indexedSeq
  const indexed = upTo(range, through)
  const tail: Range = { low: Math.max(range.low, through + 1), high: range.high }
  const lookup = facets === undefined ? undefined : facetLookup(database, facets, atOnce)
  const parts = [
    inTexts ?? (lookup ? inWindows(lookup, LOOKUP, walk, indexed) : inWindows(scan, SCAN, walk, indexed)),
    inTail(),
  ]
  if (query.order === 'desc') parts.reverse()
  for (const part of parts) yield* part

  function* inTail(): Generator<Candidates> {
    const wanted = wantedFacets(known as EventFilter)
    const scanned = (low: number, high: number) => inWindows(scan, SCAN, walk, { low, high })
    const marked = (part: Range) => inOrder(unindexed.find(wanted, part), query.order, part, likely)
    let { low, high } = tail
    if (wanted.length === 0) yield* scanned(low, high)
    else if (query.order === 'desc') {
      const first = Math.max(low, unindexed.first)
      yield* marked({ low: first, high })
      yield* scanned(low, Math.min(high, first - 1))
    } else {
      // During a scan, the index may advance and drop further marks: their events are scanned next.
      while (low <= high && low < unindexed.first) {
        const end = Math.min(high, unindexed.first - 1)
        yield* scanned(low, end)
        low = end + 1
      }
      yield* marked({ low, high })
    }
  }
}

/** Pieces of a sorted list, each narrowed by `likely`. @param part the range, which has no other candidates */
function* inOrder(
  seqs: number[],
  order: Order,
  part: Range,
  likely: (seqs: readonly number[]) => number[],
): Generator<Candidates> {
  if (part.low > part.high) return
  if (order === 'desc') seqs.reverse()
  for (let at = 0; at < seqs.length; at += CANDIDATES) {
    const some = seqs.slice(at, at + CANDIDATES)
    yield { seqs: likely(some), through: some.at(-1) as number }
  }
  yield { seqs: [], through: order === 'asc' ? part.high : part.low }
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
  let fixedMs = size.hasFixedCost ? Number.POSITIVE_INFINITY : 0
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
    fixedMs = Math.min(fixedMs, tookMs)
    const fitting = Math.round(window * Math.min(GROWTH, size.targetMs / (tookMs - fixedMs)))
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

const SOURCES = /* sql */ `SELECT source FROM source_counters LIMIT ${EXPANDED_SOURCES + 1}`
const KINDS = /* sql */ `SELECT kind FROM kind_counters LIMIT ${EXPANDED_KINDS + 1}`

/**
 * The filter with patterns and exclusions replaced by the existing kinds and sources, if these are few. For a prefix,
 * the index takes as long as for all words with it, even in a small window; and it cannot find what is excluded.
 *
 * @returns undefined if no event matches
 */
function withKnownValues(database: Database, query: EventFilter): EventFilter | undefined {
  const { excluded } = query
  const given = query.kinds?.includes('*') ? undefined : query.kinds
  const all = (sql: string, column: string, most: number) => {
    const values = database.all(sql).map(row => String(row[column]))
    return values.length > most ? undefined : values
  }
  const asked = given ? kindsOf(database, given) : excluded?.kinds && all(KINDS, 'kind', EXPANDED_KINDS)
  const kinds = asked?.filter(kind => !excluded?.kinds?.some(pattern => kindMatches(kind, pattern)))
  const from = query.sources ?? (excluded?.sources && all(SOURCES, 'source', EXPANDED_SOURCES))
  const sources = from?.filter(source => !excluded?.sources?.includes(source))
  if (kinds?.length === 0 || sources?.length === 0) return undefined
  return { ...query, ...(kinds ? { kinds } : {}), ...(sources ? { sources } : {}) }
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

/** Selects from these events those whose raw body contains the longest term, and those with a large body. */
const likelySql = (likely: string) => /* sql */ `
  SELECT seq FROM events WHERE seq IN (SELECT value FROM json_each(?))
    AND (octet_length(body) > ${LARGE_EVENT_BYTES} OR ${likely})`

const OVERLONG = /* sql */ `SELECT seq FROM event_text_overlong WHERE seq BETWEEN ? AND ?`

/** If more events of a segment than this have the columns of the terms, facets may narrow the selection. */
const MANY = 64
/** Keeps the events whose raw body has the longest term of a search, if there is one. */
function likelyBySearch(database: Database, { search = [], order }: Walk): (seqs: readonly number[]) => number[] {
  if (search.length === 0) return seqs => [...seqs]
  const patterns = bodyPatterns(search)
  const sql = likelySql(anyPattern(patterns))
  return seqs => {
    const kept = toSeqs(database.all(sql, JSON.stringify(seqs), ...patterns)).sort((left, right) => left - right)
    return order === 'asc' ? kept : kept.reverse()
  }
}

interface TextWalk {
  query: Walk
  /** From `facetExpression`. */
  facets: string | undefined
  likely: (seqs: readonly number[]) => number[]
}

/** Candidates by text, segment by segment. Undefined if signatures do not help with these terms. */
function textCandidates(
  database: Database,
  segments: readonly Segment[],
  { query: { search = [], order }, facets, likely }: TextWalk,
  range: Range,
): Generator<Candidates> | undefined {
  const lookup = search.length > 0 ? termLookup(search) : undefined
  if (!lookup) return undefined
  const listed = facets === undefined ? undefined : facetLists(database, facets, order, range)
  const narrowed = (seqs: number[], part: Range): number[] => {
    const having = seqs.length <= MANY ? undefined : listed?.(part, seqs.length)
    if (!having) return seqs
    const known = new Set(having)
    return seqs.filter(seq => known.has(seq))
  }
  const overlapping = segments.filter(({ firstSeq, lastSeq }) => firstSeq <= range.high && lastSeq >= range.low)
  return inSegments(order === 'asc' ? overlapping : overlapping.reverse())

  function* inSegments(walked: readonly Segment[]): Generator<Candidates> {
    /** Events with the columns of the terms, in the last segment whose columns were read. */
    let common = 0
    for (const segment of walked) {
      const part: Range = { low: Math.max(range.low, segment.firstSeq), high: Math.min(range.high, segment.lastSeq) }
      const isListed = common > MANY
      const having = isListed ? listed?.(part, common) : undefined
      if (having && having.length * LISTED.each <= common) {
        yield* inOrder(having, order, part, likely)
        continue
      }
      const found = lookup?.(segment).filter(seq => seq >= part.low && seq <= part.high) ?? []
      common = found.length
      const overlong = toSeqs(database.all(OVERLONG, part.low, part.high))
      // A list that was too long is so again.
      const seqs = [...(isListed && !having ? found : narrowed(found, part)), ...overlong].sort(
        (left, right) => left - right,
      )
      yield* inOrder(seqs, order, part, likely)
    }
  }
}

function anyPattern(patterns: readonly string[]): string {
  return patterns.map(() => `body LIKE ? ESCAPE '${LIKE_ESCAPE}'`).join(' OR ')
}

/** Conditions on the columns of `events`: all exclusions by `source`, and those by `kind` unless there are too many. */
export function excludedColumns(database: Database, { excluded }: EventFilter): { sql: string; values: string[] } {
  const lists = { source: excluded?.sources, kind: excluded?.kinds && kindsOf(database, excluded.kinds) }
  const given = Object.entries(lists).flatMap(([column, values]) => (values ? [{ column, values }] : []))
  return {
    sql: given.map(({ column }) => `AND ${column} NOT IN (SELECT value FROM json_each(?))`).join(' '),
    values: given.map(({ values }) => JSON.stringify(values)),
  }
}

/** A condition that every event with an outcome passes: see `outcomeOf`. */
const MAY_HAVE_OUTCOME = /* sql */ `(NOT json_valid(body) OR body ->> '$.action.outcome' IS NOT NULL
  OR body ->> '$.action.object_type' IN (${[...RUN_TYPES, 'review'].map(type => `'${type}'`).join()}))`

/** More patterns than this cost more than they save. */
const SCANNED_PATTERNS = 20

/**
 * Finds candidates in the table, by its columns and the raw text of the bodies. Large bodies are always candidates:
 * reading one takes long, and a statement cannot be divided.
 */
function scanning(database: Database, query: EventFilter, atOnce: number): Lookup {
  const { search, actors, target, sources, outcomes, subjectId = null } = query
  const contained = [search, target === undefined ? undefined : [foldCase(target)]]
    .filter(terms => terms?.length)
    .map(terms => bodyPatterns(terms as readonly string[]))
  if (actors) contained.push(actors.flatMap(actor => bodyPatterns([foldCase(actor)])))
  const likely = contained.filter(patterns => patterns.length <= SCANNED_PATTERNS)
  const conditions = [...likely.map(anyPattern), ...(outcomes ? [MAY_HAVE_OUTCOME] : [])]
  const bodies = conditions.map(condition => `AND (octet_length(body) > ${LARGE_EVENT_BYTES} OR ${condition})`)
  const excluded = excludedColumns(database, query)
  const kinds = query.kinds?.includes('*') ? undefined : query.kinds && kindsOf(database, query.kinds)
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
