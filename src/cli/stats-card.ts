import { card } from './card.js'
import { countAt, entriesAt, lineAt, timeAt } from './fields.js'
import { table } from './table.js'
import type { TerminalStyle } from './terminal-style.js'
import { toTerminalLine } from './terminal-text.js'

/** Renders the response of `GET /api/stats`. */
export function statsCard(stats: unknown, style: TerminalStyle): string {
  const parts = [
    card(style, 'Ledger', [
      ['events', countAt(stats, 'event_count')],
      ['repeats', countAt(stats, 'duplicate_count')],
      ['subscriptions', countAt(stats, 'subscription_count')],
      ['first', lineAt(stats, 'first_captured_at')],
      ['latest', lineAt(stats, 'latest_captured_at')],
    ]),
  ]
  const sources = entriesAt(stats, 'by_source')
  if (sources.length > 0) {
    const columns = [
      { title: 'source' },
      { title: 'events', align: 'right' as const },
      { title: 'repeats', align: 'right' as const },
      { title: 'latest (UTC)' },
    ]
    const rows = sources.map(([source, counts]) => [
      toTerminalLine(source),
      countAt(counts, 'events'),
      countAt(counts, 'duplicates'),
      timeAt(counts, 'latest_captured_at'),
    ])
    parts.push(table(style, columns, rows))
  }
  const kinds = entriesAt(stats, 'by_kind').sort(([, a], [, b]) => Number(b) - Number(a))
  if (kinds.length > 0) {
    const rows = kinds.map(([kind, count]) => [toTerminalLine(kind), countAt(count)])
    parts.push(
      table(
        style,
        [
          { title: 'kind', flexible: true },
          { title: 'events', align: 'right' },
        ],
        rows,
      ),
    )
  }
  return parts.join('\n\n')
}
