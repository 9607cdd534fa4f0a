import { card } from '../terminal/card.js'
import { at, countAt, entriesAt, lineAt, listAt, timeAt } from '../terminal/fields.js'
import type { TerminalStyle } from '../terminal/style.js'
import { table } from '../terminal/table.js'
import { toTerminalLine } from '../terminal/text.js'
import { eventSentence } from './events.js'

/** Renders one subscription. */
export function subscriptionCard(subscription: unknown, style: TerminalStyle): string {
  const { paint } = style
  const state = at(subscription, 'enabled') === false ? paint.yellow('disabled') : paint.green('enabled')
  return card(style, `Subscription ${paint.cyan(lineAt(subscription, 'id'))}, ${state}`, [
    ['problem', lineAt(subscription, 'problem')],
    ['source', lineAt(subscription, 'source')],
    ['target', lineAt(subscription, 'target')],
    ['scope', [lineAt(subscription, 'scope', 'type'), lineAt(subscription, 'scope', 'key')].join(' ').trim()],
    ['kinds', words(subscription, 'event_kinds') || 'all'],
    ['filters', members(subscription, 'filters')],
    ['capture', words(subscription, 'capture_modes')],
    ['metadata', members(subscription, 'metadata')],
    ['last cursor', lineAt(subscription, 'last_cursor')],
    ['last event', lineAt(subscription, 'last_event_at')],
    ['last capture', lineAt(subscription, 'capture', 'last_success_at')],
    ['next capture', lineAt(subscription, 'capture', 'next_due_at')],
    ['capture failed', lineAt(subscription, 'capture', 'last_error')],
    ['owner', lineAt(subscription, 'owner_user_id')],
    ['created', lineAt(subscription, 'created_at')],
    ['updated', lineAt(subscription, 'updated_at')],
  ])
}

/** Renders the response of `POST /api/subscriptions`. */
export function savedSubscriptionCard(saved: unknown, style: TerminalStyle): string {
  const what = at(saved, 'created') === true ? 'Created.' : 'Updated.'
  return `${style.paint.green(what)}\n\n${subscriptionCard(at(saved, 'subscription'), style)}`
}

/** Renders the response of `POST /api/subscriptions/preview`. */
export function previewText(preview: unknown, style: TerminalStyle): string {
  const { paint } = style
  const count =
    at(preview, 'count') === 0
      ? paint.yellow('Nothing would have matched')
      : `${countAt(preview, 'count')} events would have matched`
  const range = `${count} since ${timeAt(preview, 'counted_from')} (${style.isLocalTime ? 'local' : 'UTC'}).`
  const examples = listAt(preview, 'examples').map(event => [timeAt(event, 'captured_at'), eventSentence(event)])
  const days = listAt(preview, 'by_day').map(day => [timeAt(day, 'start'), countAt(day, 'count')])
  return [
    range,
    at(preview, 'seen') === false ? paint.yellow('This place had no events of any kind: check source and target.') : '',
    days.length > 0 ? table(style, [{ title: 'from (UTC)' }, { title: 'events', align: 'right' }], days) : '',
    examples.length > 0
      ? table(style, [{ title: 'newest (UTC)' }, { title: 'what happened', flexible: true }], examples)
      : '',
  ]
    .filter(part => part !== '')
    .join('\n\n')
}

function words(subscription: unknown, name: string): string {
  return toTerminalLine(listAt(subscription, name).join(', '))
}

function members(subscription: unknown, name: string): string {
  return entriesAt(subscription, name)
    .map(([key, value]) => toTerminalLine(`${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`))
    .join('\n')
}

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
