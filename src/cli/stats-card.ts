import { card } from './card.js'
import { countAt, entriesAt, lineAt, timeAt } from './fields.js'
import type { Look } from './look.js'
import { table } from './table.js'
import { toTerminalLine } from './terminal-text.js'

/** The answer of `GET /api/stats`. */
export function statsCard(stats: unknown, look: Look): string {
  const parts = [
    card(look, 'Ledger', [
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
    parts.push(table(look, columns, rows))
  }
  const kinds = entriesAt(stats, 'by_kind').sort(([, a], [, b]) => Number(b) - Number(a))
  if (kinds.length > 0) {
    const rows = kinds.map(([kind, count]) => [toTerminalLine(kind), countAt(count)])
    parts.push(
      table(
        look,
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
