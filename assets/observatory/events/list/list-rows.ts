import type { StoredEvent } from '#model/events/event'
import { type Outcome, outcomeGroupOf } from '#model/sentences/event-outcome'
import { type SentencePart, sentenceOf } from '#model/sentences/event-sentence'
import { dayOf, shownZone } from '../../../shared/words/time.js'
import { crumbsOf, eventKey, placeWords } from '../event-words.js'
import { type RowWords, rowWords } from './row-words.js'

type Shown = 'captured_at' | 'source' | 'kind' | 'actor_role' | 'seen_count'

/** What the list keeps of an event: a row's content. A whole event may have a megabyte. */
export interface ListedEvent extends Pick<StoredEvent, Shown> {
  key: string
  verified: StoredEvent['provenance']['verified']
  actor: { display: string; id: string }
  /** The steps of the target that have a key, outermost first. */
  places: readonly { key: string; text: string }[]
  outcome: Outcome | undefined
  sentence: readonly SentencePart[]
  words: RowWords
}

/** Longer names are not kept. UTF-16 characters; a row shows half as many. */
export const LONGEST_NAME = 400

/** @param terms search terms, which the row's text is to show */
export function toListed(event: StoredEvent, terms: readonly string[]): ListedEvent {
  const { captured_at, source, kind, actor_role, seen_count, provenance, actor } = event
  const listed: ListedEvent = {
    ...{ captured_at, source, kind, seen_count, key: eventKey(event), verified: provenance.verified },
    actor_role: short(actor_role),
    actor: { display: short(actor.display), id: short(actor.id) },
    places: crumbsOf(event).flatMap(({ node, text }) =>
      node.key ? [{ key: short(node.key), text: short(placeWords(node, text)) }] : [],
    ),
    outcome: outcomeGroupOf(event),
    sentence: sentenceOf(event).map(part =>
      part.kind === 'place' ? { ...part, steps: part.steps.map(short) } : { ...part, text: short(part.text) },
    ),
    words: rowWords(event, terms),
  }
  // A cut text would keep the whole one in memory, and a name all the JSON that it was read from.
  return structuredClone(listed)
}

function short(text: string): string {
  return text.slice(0, LONGEST_NAME)
}

/** A line above everything that existed at a checkpoint. */
export interface Line {
  name: string
  text: string
  /** A `captured_at`: later events are above the line. */
  above: string
}

/** Rows of the list: events, and lines between them. */
export type ListRow = ListedEvent | (Line & { day: string })

/**
 * Inserts lines between events. Omits a line with nothing below or above it.
 *
 * @param events newest first
 */
export function toRows(events: readonly ListedEvent[], lines: readonly Line[]): readonly ListRow[] {
  const rows: ListRow[] = [...events]
  const places = lines.map(line => ({ line, at: events.findIndex(event => event.captured_at <= line.above) }))
  // From the bottom up, so that the indexes above stay valid.
  for (const { line, at } of places.sort((a, b) => b.at - a.at)) {
    const above = events[at - 1]
    if (above) rows.splice(at, 0, { ...line, day: eventDay(above) })
  }
  return rows
}

export function isLine(row: ListRow): row is Line & { day: string } {
  return 'above' in row
}

export function rowKey(row: ListRow): string {
  return isLine(row) ? `line ${row.name}` : row.key
}

const days = new WeakMap<ListedEvent, { zone: string | undefined; day: string }>()

/** The local day of an event, cached because it is needed for all rows on every change. */
export function eventDay(event: ListedEvent): string {
  const zone = shownZone.value
  const known = days.get(event)
  if (known && known.zone === zone) return known.day
  const day = dayOf(event.captured_at)
  days.set(event, { zone, day })
  return day
}

export function rowDay(row: ListRow): string {
  return isLine(row) ? row.day : eventDay(row)
}
