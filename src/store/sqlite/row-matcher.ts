import type { StoredEvent } from '../../model/events/event.js'
import { type EventFilter, eventMatches, kindMatches } from '../../model/events/event-match.js'
import { searchableStrings } from '../../model/events/search.js'
import { inJson } from './body-patterns.js'
import type { Database, Row } from './database.js'
import { payloadStrings, readBodyBytes, readOutline } from './large-body.js'
import { missingIn, SLICE_CHARACTERS } from './missing-terms.js'

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
  const { search = [], ...others } = filter
  const patterns = search.map(term => new RegExp(toPattern(inJson(term)), 'iu'))
  return function* (row) {
    if (filter.sources !== undefined && !filter.sources.includes(String(row.source))) return false
    if (filter.kinds !== undefined && !filter.kinds.some(kind => kindMatches(String(row.kind), kind))) return false
    if (filter.subjectId !== undefined && row.subject_id !== filter.subjectId) return false
    if (byColumns) return true
    if (row.body === null) return yield* matchesLarge(database, Number(row.seq), filter)
    const body = String(row.body)
    let searched = 0
    for (const pattern of patterns) {
      if (!pattern.test(body)) return false
      searched += body.length
      if (searched < SLICE_CHARACTERS) continue
      searched = 0
      yield
    }
    const event = JSON.parse(body) as StoredEvent
    return eventMatches(event, others) && (yield* missingIn(searchableStrings(event), search)).length === 0
  }
}

function* matchesLarge(database: Database, seq: number, filter: EventFilter): Generator<void, boolean> {
  const { search = [], ...others } = filter
  const outline = readOutline(database, seq)
  if (!eventMatches(outline, others)) return false
  const missing = yield* missingIn(searchableStrings(outline), search)
  if (missing.length === 0) return true
  yield
  return (yield* missingIn(payloadStrings(readBodyBytes(database, seq)), missing)).length === 0
}

function toPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, '\\$&')
}
