import { card } from './card.js'
import { at, entriesAt, lineAt, listAt } from './fields.js'
import type { Look } from './look.js'
import { toTerminalLine } from './terminal-text.js'

/** One subscription. */
export function subscriptionCard(subscription: unknown, look: Look): string {
  const { paint } = look
  const state = at(subscription, 'enabled') === false ? paint.yellow('disabled') : paint.green('enabled')
  return card(look, `Subscription ${paint.cyan(lineAt(subscription, 'id'))}, ${state}`, [
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

/** The answer of `POST /api/subscriptions`. */
export function savedSubscriptionCard(saved: unknown, look: Look): string {
  const what = at(saved, 'created') === true ? 'Created.' : 'Updated.'
  return `${look.paint.green(what)}\n\n${subscriptionCard(at(saved, 'subscription'), look)}`
}

function words(subscription: unknown, name: string): string {
  return toTerminalLine(listAt(subscription, name).join(', '))
}

function members(subscription: unknown, name: string): string {
  return entriesAt(subscription, name)
    .map(([key, value]) => toTerminalLine(`${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`))
    .join('\n')
}
