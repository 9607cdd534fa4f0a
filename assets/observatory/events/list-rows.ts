import { dayOf } from '../../shared/time.js'
import type { LedgerEvent } from '../../shared/wire.js'

/** What stands in the list: events, and lines between them. */
export type ListRow = { kind: 'event'; event: LedgerEvent } | { kind: 'line'; name: string; words: string; day: string }

/** A line that stands above everything that was there at a checkpoint. */
export interface Line {
  name: string
  words: string
  /** A `captured_at`: what was captured after it stands above the line. */
  above: string
}

/**
 * Puts lines between events. A line without anything below it, or above it, is left out: it would divide nothing.
 *
 * @param events newest first
 */
export function toRows(events: readonly LedgerEvent[], lines: readonly Line[]): ListRow[] {
  const rows: ListRow[] = events.map(event => ({ kind: 'event', event }))
  const places = lines.map(line => ({ line, at: events.findIndex(event => event.captured_at <= line.above) }))
  // From the bottom up, so that places above stay what they are.
  for (const { line, at } of places.sort((a, b) => b.at - a.at)) {
    const above = events[at - 1]
    if (above) rows.splice(at, 0, { kind: 'line', name: line.name, words: line.words, day: dayOf(above.captured_at) })
  }
  return rows
}

export function rowKey(row: ListRow): string {
  return row.kind === 'event' ? row.event.dedupe_key : `line ${row.name}`
}

const days = new WeakMap<LedgerEvent, string>()

/** The local day of an event, remembered: it is asked of all rows whenever there is a new one. */
export function eventDay(event: LedgerEvent): string {
  let day = days.get(event)
  if (day === undefined) {
    day = dayOf(event.captured_at)
    days.set(event, day)
  }
  return day
}

export function rowDay(row: ListRow): string {
  return row.kind === 'line' ? row.day : eventDay(row.event)
}
