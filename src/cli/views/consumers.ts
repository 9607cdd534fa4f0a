import { card } from '../terminal/card.js'
import { at, countAt, entriesAt, lineAt, listAt, textAt, timeAt } from '../terminal/fields.js'
import type { TerminalStyle } from '../terminal/style.js'
import { table } from '../terminal/table.js'
import { toTerminalLine } from '../terminal/text.js'

const COLUMNS = [
  { title: 'name' },
  { title: 'filters', flexible: true },
  { title: 'behind', align: 'right' as const },
  { title: 'for', align: 'right' as const },
  { title: 'acknowledged (UTC)' },
  { title: 'dead letters', align: 'right' as const },
]

/** Renders the response of `GET /api/consumers`. */
export function consumerTable(consumers: unknown, style: TerminalStyle): string {
  const items = listAt(consumers, 'items')
  if (items.length === 0) return style.paint.dim('No consumers. Start one with "daybook consume".')
  const rows = items.map(consumer => [
    lineAt(consumer, 'name'),
    filterText(consumer).replaceAll('\n', ', ') || 'all events',
    lagText(consumer),
    at(consumer, 'lag', 'events') === 0 ? '' : duration(Number(at(consumer, 'lag', 'seconds'))),
    timeAt(consumer, 'acknowledged_at') || 'never',
    countAt(consumer, 'dead_letters'),
  ])
  return table(style, COLUMNS, rows)
}

/** Renders the response of `GET /api/consumers/{name}`. */
export function consumerCard(consumer: unknown, style: TerminalStyle): string {
  const seconds = Number(at(consumer, 'lag', 'seconds'))
  return card(style, lineAt(consumer, 'name'), [
    ['filters', filterText(consumer) || 'all events'],
    ['checkpoint', lineAt(consumer, 'checkpoint')],
    ['behind', `${lagText(consumer)} events${seconds > 0 ? `, the oldest for ${duration(seconds)}` : ''}`],
    [
      'stopped',
      at(consumer, 'epoch_changed') === true
        ? 'the ledger was restored; choose with "consumers seek" where it continues'
        : '',
    ],
    ['read until', lineAt(consumer, 'leased_until')],
    ['acknowledged', lineAt(consumer, 'acknowledged_at')],
    ['failures', countAt(consumer, 'failures')],
    ['last failure', lineAt(consumer, 'failed_at')],
    ['last error', textAt(consumer, 'last_error')],
    ['dead letters', countAt(consumer, 'dead_letters')],
    ['owner', lineAt(consumer, 'owner_user_id')],
    ['created', lineAt(consumer, 'created_at')],
    ['updated', lineAt(consumer, 'updated_at')],
  ])
}

const LETTER_COLUMNS = [
  { title: 'id', align: 'right' as const },
  { title: 'event' },
  { title: 'failed (UTC)' },
  { title: 'tries', align: 'right' as const },
  { title: 'error', flexible: true },
]

/** Renders the response of `GET /api/consumers/{name}/dead-letters`. */
export function deadLetterTable(letters: unknown, style: TerminalStyle): string {
  const items = listAt(letters, 'items')
  if (items.length === 0) return style.paint.dim('No dead letters.')
  const rows = items.map(letter => [
    lineAt(letter, 'id'),
    lineAt(letter, 'dedupe_key'),
    timeAt(letter, 'failed_at'),
    countAt(letter, 'attempts'),
    at(letter, 'retrying') === true ? 'delivered again' : lineAt(letter, 'error'),
  ])
  const more = at(letters, 'next') === null ? '' : `\n${style.paint.dim(`More: --after ${lineAt(letters, 'next')}`)}`
  return table(style, LETTER_COLUMNS, rows) + more
}

function lagText(consumer: unknown): string {
  const count = countAt(consumer, 'lag', 'events')
  return at(consumer, 'lag', 'exact') === false ? `${count} or more` : count
}

function filterText(consumer: unknown): string {
  return entriesAt(consumer, 'filters')
    .map(([name, value]) => toTerminalLine(`${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`))
    .join('\n')
}

function duration(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`
}
