import { displayWidth } from './display-width.js'
import { eventWords } from './event-summary.js'
import { at, lineAt, listAt, timeAt } from './fields.js'
import { tableRows } from './table.js'
import type { TerminalStyle } from './terminal-style.js'

const COLUMNS = [
  { title: 'captured (UTC)' },
  { title: 'source' },
  { title: 'seen', align: 'right' as const },
  { title: 'what happened', flexible: true, least: 40 },
]

/**
 * Renders a page of `GET /api/events`: each event as a sentence, with its kind and dedupe key below, and how to
 * continue. A list that begins with the newest event also says how to get older ones.
 */
export function eventTable(page: unknown, style: TerminalStyle, { isNewestFirst }: { isNewestFirst: boolean }): string {
  const { paint } = style
  const items = listAt(page, 'items')
  const checkpoint = lineAt(page, 'next_since')
  const hasMore = at(page, 'has_more') === true
  const oldest = isNewestFirst && hasMore ? lineAt(items.at(-1), 'captured_at') : ''
  const older = oldest === '' ? [] : [paint.dim(`Older ones: --before ${oldest}`)]
  const goOn = checkpoint === '' ? [] : [paint.dim(`To read on: --since ${checkpoint}`)]
  if (items.length === 0) return [paint.dim('No events.'), ...goOn].join('\n')
  const [titles = [], ...rows] = tableRows(style, COLUMNS, items.map(toCells))
  // Never truncated, because users copy it.
  const withKeys = rows.map((lines, i) => [...lines, ...keyLines(items[i], style)].join('\n'))
  const count = items.length === 1 ? '1 event' : `${items.length} events`
  const more = hasMore ? ', and more' : ''
  return [...titles, ...withKeys, '', paint.dim(`${count}${more}.`), ...older, ...goOn].join('\n')
}

/** Kind and key, for copying: on two lines if they do not fit on one. */
function keyLines(event: unknown, { paint, columns }: TerminalStyle): string[] {
  const both = [lineAt(event, 'kind'), eventKeyAt(event)]
  const lines = displayWidth(both.join('  ')) + 2 > columns ? both : [both.join('  ')]
  return lines.map(line => `  ${paint.dim(line)}`)
}

function toCells(event: unknown): string[] {
  return [timeAt(event, 'captured_at'), lineAt(event, 'source'), lineAt(event, 'seen_count'), eventWords(event)]
}

/** The key that `api event` takes: another, proved event may have the same dedupe key. */
function eventKeyAt(event: unknown): string {
  const space = lineAt(event, 'provenance', 'key_space')
  const key = lineAt(event, 'dedupe_key')
  return space === '' ? key : `${space}:${key}`
}
