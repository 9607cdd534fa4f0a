import type { StoredEvent } from '../../../model/events/event.js'
import { type EventFilter, eventMatches, kindMatches, withoutTexts } from '../../../model/events/event-match.js'
import { type SearchTerm, searchableStrings } from '../../../model/events/search.js'
import { payloadStrings } from '../../large-event.js'
import type { PrunedEvents } from '../erase/pruned-events.js'
import type { Database, Row } from '../files/database.js'
import { inJson } from './body-patterns.js'
import { readBodyBytes, readOutline } from './large-body.js'

/** Characters searched between two yields, so that writes do not wait for thousands of terms. */
const SLICE_CHARACTERS = 1_000_000
/** The cost of one comparison, however short the text is. */
const COMPARISON_CHARACTERS = 50

/** Whether a filter has no conditions except on `source`, `kind` and `subject_id`. */
export function columnsDecide(filter: EventFilter): boolean {
  return (
    filter.subscriptionIds === undefined &&
    filter.actors === undefined &&
    filter.target === undefined &&
    filter.verified === undefined &&
    filter.outcomes === undefined &&
    filter.occurredFrom === undefined &&
    filter.occurredTo === undefined &&
    filter.excluded?.actors === undefined &&
    filter.excluded?.targets === undefined &&
    filter.excluded?.outcomes === undefined &&
    filter.excluded?.searches === undefined &&
    filter.search === undefined
  )
}

/**
 * Decides whether a row matches, by the cheapest means: first its columns; then the raw text of its body (the case
 * folding of the JavaScript engine is the promised one, and JSON text spells a string in one way); only then the parsed
 * event. A large body, which is null in the row, is read in slices and never parsed as a whole.
 *
 * No removed event matches: between two slices, retention may remove events, and replace their rows.
 */
export function rowMatcher(
  database: Database,
  pruned: Pick<PrunedEvents, 'through'>,
  filter: EventFilter,
): (row: Row) => Generator<void, boolean> {
  const matches = storedMatcher(database, filter)
  return function* (row) {
    const isPruned = () => Number(row.seq) <= pruned.through
    return !isPruned() && (yield* matches(row)) && !isPruned()
  }
}

function storedMatcher(database: Database, filter: EventFilter): (row: Row) => Generator<void, boolean> {
  const byColumns = columnsDecide(filter)
  const { search = [] } = filter
  const matches = matcher(filter)
  const { sources: notSources, kinds: notKinds, searches: unwanted = [] } = filter.excluded ?? {}
  const patterns = search.map(bodyPattern)
  const suspicious = unwanted.map(terms => bodyPattern(longestOf(terms)))
  return function* (row) {
    if (filter.sources !== undefined && !filter.sources.includes(String(row.source))) return false
    if (filter.kinds !== undefined && !filter.kinds.some(kind => kindMatches(String(row.kind), kind))) return false
    if (filter.subjectId !== undefined && row.subject_id !== filter.subjectId) return false
    if (notSources?.includes(String(row.source))) return false
    if (notKinds?.some(kind => kindMatches(String(row.kind), kind))) return false
    if (byColumns) return true
    if (row.body === null) return yield* matchesLarge(database, Number(row.seq), matches)
    const body = String(row.body)
    if (yield* someTest(patterns, body, false)) return false
    const event = JSON.parse(body) as StoredEvent
    if (!matches.values(event)) return false
    const mayBeExcluded = yield* someTest(suspicious, body, true)
    if (search.length === 0 && !mayBeExcluded) return true
    const missing = yield* missingIn(searchableStrings(event), mayBeExcluded ? matches.terms : search)
    return mayBeExcluded ? matches.texts(missing) : missing.length === 0
  }
}

/** Tests patterns in slices. @returns whether the test of some pattern gives this result */
function* someTest(patterns: readonly RegExp[], body: string, result: boolean): Generator<void, boolean> {
  let searched = 0
  for (const pattern of patterns) {
    if (pattern.test(body) === result) return true
    searched += body.length
    if (searched < SLICE_CHARACTERS) continue
    searched = 0
    yield
  }
  return false
}

function* matchesLarge(database: Database, seq: number, matches: Matcher): Generator<void, boolean> {
  const outline = readOutline(database, seq)
  if (!matches.values(outline)) return false
  const missing = yield* missingIn(searchableStrings(outline), matches.terms)
  if (missing.length === 0) return matches.texts(missing)
  yield
  return matches.texts(yield* missingIn(payloadStrings(readBodyBytes(database, seq)), missing))
}

/** A filter in two parts: one for the values of an event, one for its texts. */
interface Matcher {
  values: (event: StoredEvent) => boolean
  /** The distinct terms of all searches. */
  terms: readonly SearchTerm[]
  /** @param missing terms that the event does not have */
  texts: (missing: readonly SearchTerm[]) => boolean
}

function matcher(filter: EventFilter): Matcher {
  const { search = [], excluded: { searches: unwanted = [] } = {} } = filter
  const byValues = withoutTexts(filter)
  return {
    values: event => eventMatches(event, byValues),
    terms: [...new Set([search, ...unwanted].flat())],
    texts: missing => {
      const absent = new Set(missing)
      return !search.some(term => absent.has(term)) && unwanted.every(terms => terms.some(term => absent.has(term)))
    },
  }
}

/**
 * Searches texts for terms, in slices: when it yields, other work may run.
 *
 * @param texts folded; `undefined` for a pause before a text that takes long
 * @returns the terms that occur in none of them
 */
function* missingIn(
  texts: Iterable<string | undefined>,
  terms: readonly SearchTerm[],
): Generator<void, readonly SearchTerm[]> {
  let missing = terms
  let searched = 0
  for (const text of texts) {
    if (missing.length === 0) break
    if (text === undefined) {
      yield
      continue
    }
    const absent: SearchTerm[] = []
    for (const term of missing) {
      if (!text.includes(term)) absent.push(term)
      searched += text.length + COMPARISON_CHARACTERS
      if (searched < SLICE_CHARACTERS) continue
      searched = 0
      yield
    }
    missing = absent
  }
  return missing
}

/** Found in the body of every event with the term, whose texts decide. */
function bodyPattern(term: SearchTerm): RegExp {
  return new RegExp(inJson(term).replaceAll(/[\\^$.*+?()[\]{}|/]/gu, '\\$&'), 'iu')
}

/** It is the rarest, most likely. @param terms at least one */
function longestOf(terms: readonly SearchTerm[]): SearchTerm {
  return terms.reduce((longest, term) => (term.length > longest.length ? term : longest))
}
