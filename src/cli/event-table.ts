import { eventActor, eventSubject } from './event-summary.js'
import { at, lineAt, listAt, timeAt } from './fields.js'
import type { Look } from './look.js'
import { table } from './table.js'

const COLUMNS = [
  { title: 'captured (UTC)' },
  { title: 'source' },
  { title: 'kind' },
  { title: 'by' },
  { title: 'about', flexible: true },
  { title: 'seen', align: 'right' as const },
]

/** A page of `GET /api/events`: a row for each event, and where to go on. */
export function eventTable(page: unknown, look: Look): string {
  const { paint } = look
  const items = listAt(page, 'items')
  if (items.length === 0) return [paint.dim('No events.'), ...goOn(page, look)].join('\n')
  const rows = items.map(event => [
    timeAt(event, 'captured_at'),
    lineAt(event, 'source'),
    lineAt(event, 'kind'),
    eventActor(event),
    [eventSubject(event), lineAt(event, 'conversation', 'text')].filter(text => text !== '').join(': '),
    lineAt(event, 'seen_count'),
  ])
  const count = items.length === 1 ? '1 event' : `${items.length} events`
  const more = at(page, 'has_more') === true ? ', and more' : ''
  return [table(look, COLUMNS, rows), '', paint.dim(`${count}${more}.`), ...goOn(page, look)].join('\n')
}

function goOn(page: unknown, { paint }: Look): string[] {
  const checkpoint = lineAt(page, 'next_since')
  return checkpoint === '' ? [] : [paint.dim(`What comes next: --since ${checkpoint}`)]
}
