import type { StoredEvent } from '#model/events/event'
import { dayOf, shownZone } from '../../../shared/words/time.js'
import { eventKey } from '../event-words.js'

/** Rows of the list: events, and lines between them. */
export type ListRow = { kind: 'event'; event: StoredEvent } | { kind: 'line'; name: string; words: string; day: string }

/** A line above everything that existed at a checkpoint. */
export interface Line {
  name: string
  words: string
  /** A `captured_at`: later events are above the line. */
  above: string
}

/**
 * Inserts lines between events. Omits a line with nothing below or above it.
 *
 * @param events newest first
 */
export function toRows(events: readonly StoredEvent[], lines: readonly Line[]): ListRow[] {
  const rows: ListRow[] = events.map(event => ({ kind: 'event', event }))
  const places = lines.map(line => ({ line, at: events.findIndex(event => event.captured_at <= line.above) }))
  // From the bottom up, so that the indexes above stay valid.
  for (const { line, at } of places.sort((a, b) => b.at - a.at)) {
    const above = events[at - 1]
    if (above) rows.splice(at, 0, { kind: 'line', name: line.name, words: line.words, day: dayOf(above.captured_at) })
  }
  return rows
}

export function rowKey(row: ListRow): string {
  return row.kind === 'event' ? eventKey(row.event) : `line ${row.name}`
}

const days = new WeakMap<StoredEvent, { zone: string | undefined; day: string }>()

/** The local day of an event, cached because it is needed for all rows on every change. */
export function eventDay(event: StoredEvent): string {
  const zone = shownZone.value
  const known = days.get(event)
  if (known && known.zone === zone) return known.day
  const day = dayOf(event.captured_at)
  days.set(event, { zone, day })
  return day
}

export function rowDay(row: ListRow): string {
  return row.kind === 'line' ? row.day : eventDay(row.event)
}
