import { at, lineAt, listAt, timeAt } from './fields.js'
import { table } from './table.js'
import type { TerminalStyle } from './terminal-style.js'
import { toTerminalLine } from './terminal-text.js'

const COLUMNS = [
  { title: 'id' },
  { title: 'source' },
  { title: 'target', flexible: true },
  { title: 'kinds' },
  { title: 'on' },
  { title: 'last event (UTC)' },
]

/** Renders the response of `GET /api/subscriptions`. */
export function subscriptionTable(subscriptions: unknown, style: TerminalStyle): string {
  const { paint } = style
  const items = listAt(subscriptions, 'items')
  if (items.length === 0) return paint.dim('No subscriptions. Save one with "daybook api save-subscription".')
  const rows = items.map(subscription => [
    lineAt(subscription, 'id'),
    lineAt(subscription, 'source'),
    lineAt(subscription, 'target') || lineAt(subscription, 'scope', 'display') || lineAt(subscription, 'scope', 'key'),
    toTerminalLine(listAt(subscription, 'event_kinds').join(', ')) || 'all',
    at(subscription, 'enabled') === false ? 'no' : 'yes',
    timeAt(subscription, 'last_event_at'),
  ])
  return table(style, COLUMNS, rows)
}
