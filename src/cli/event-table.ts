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

/** A page of `GET /api/events`: two lines for each event, the second its dedupe key, and where to go on. */
export function eventTable(page: unknown, look: Look): string {
  const { paint } = look
  const items = listAt(page, 'items')
  const checkpoint = lineAt(page, 'next_since')
  const goOn = checkpoint === '' ? [] : [paint.dim(`What comes next: --since ${checkpoint}`)]
  if (items.length === 0) return [paint.dim('No events.'), ...goOn].join('\n')
  const [titles = '', ...rows] = table(look, COLUMNS, items.map(toCells)).split('\n')
  // Never cut: it is there to be copied.
  const withKeys = rows.map((row, i) => `${row}\n  ${paint.dim(lineAt(items[i], 'dedupe_key'))}`)
  const count = items.length === 1 ? '1 event' : `${items.length} events`
  const more = at(page, 'has_more') === true ? ', and more' : ''
  return [titles, ...withKeys, '', paint.dim(`${count}${more}.`), ...goOn].join('\n')
}

function toCells(event: unknown): string[] {
  const about = [eventSubject(event), lineAt(event, 'conversation', 'text')].filter(text => text !== '').join(': ')
  return [
    timeAt(event, 'captured_at'),
    lineAt(event, 'source'),
    lineAt(event, 'kind'),
    eventActor(event),
    about,
    lineAt(event, 'seen_count'),
  ]
}
