import type { StoredEvent } from '../../model/event.js'
import { type EventFilter, eventMatches, kindMatches } from '../../model/event-match.js'
import { searchableStrings } from '../../model/search.js'
import { inJson } from './body-patterns.js'
import type { Database, Row } from './database.js'
import { missingInPayload, readBodyBytes, readOutline } from './large-body.js'

/** Whether `source`, `kind` and `subject_id` are all that a filter asks for. */
export function columnsDecide(filter: EventFilter): boolean {
  return (
    filter.subscriptionIds === undefined &&
    filter.actors === undefined &&
    filter.target === undefined &&
    filter.verified === undefined &&
    filter.search === undefined
  )
}

/**
 * Decides about a row by the cheapest means: its columns, then the raw text of its body (the engine's own case folding
 * is the promised one, and JSON text spells what a string holds in one way), and only then the parsed event. A large
 * body, which is null in the row, is not parsed as a whole, and looked through in slices.
 */
export function rowMatcher(database: Database, filter: EventFilter): (row: Row) => Generator<void, boolean> {
  const byColumns = columnsDecide(filter)
  const patterns = filter.search?.map(term => new RegExp(toPattern(inJson(term)), 'iu')) ?? []
  return function* (row) {
    if (filter.sources !== undefined && !filter.sources.includes(String(row.source))) return false
    if (filter.kinds !== undefined && !filter.kinds.some(kind => kindMatches(String(row.kind), kind))) return false
    if (filter.subjectId !== undefined && row.subject_id !== filter.subjectId) return false
    if (byColumns) return true
    if (row.body === null) return yield* matchesLarge(database, Number(row.seq), filter)
    const body = String(row.body)
    return patterns.every(pattern => pattern.test(body)) && eventMatches(JSON.parse(body) as StoredEvent, filter)
  }
}

function* matchesLarge(database: Database, seq: number, filter: EventFilter): Generator<void, boolean> {
  const { search = [], ...others } = filter
  const outline = readOutline(database, seq)
  if (!eventMatches(outline, others)) return false
  const said = [...searchableStrings(outline)]
  const missing = search.filter(term => !said.some(text => text.includes(term)))
  if (missing.length === 0) return true
  yield
  return (yield* missingInPayload(readBodyBytes(database, seq), missing)).length === 0
}

function toPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, '\\$&')
}
