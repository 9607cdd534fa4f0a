import { card, firstLines } from './card.js'
import { eventSentence, targetPath } from './event-summary.js'
import { at, lineAt, listAt, textAt } from './fields.js'
import { prettyJson } from './pretty-json.js'
import type { TerminalStyle } from './terminal-style.js'
import { toTerminalLine } from './terminal-text.js'

const SHOWN_LINES = 40

/** Renders one stored event. */
export function eventCard(event: unknown, style: TerminalStyle): string {
  const { paint } = style
  const seen = lineAt(event, 'seen_count')
  const title = `${paint.cyan(lineAt(event, 'kind'))} ${paint.dim('from')} ${lineAt(event, 'source')}`
  return card(style, title, [
    ['what', eventSentence(event)],
    ['dedupe key', lineAt(event, 'dedupe_key')],
    ['captured', lineAt(event, 'captured_at')],
    ['happened', lineAt(event, 'occurred_at')],
    ['seen', seen === '1' ? 'once' : seen && `${seen} times, last ${lineAt(event, 'last_seen_at')}`],
    ['by', actor(event)],
    ['on', targetPath(event)],
    ['url', lineAt(event, 'target', 'url') || lineAt(event, 'conversation', 'url')],
    ['in', lineAt(event, 'conversation', 'title') || lineAt(event, 'conversation', 'key')],
    ['text', firstLines(textAt(event, 'conversation', 'text'), SHOWN_LINES)],
    ['subscriptions', toTerminalLine(listAt(event, 'subscription_ids').join(', '))],
    ['came by', provenance(event)],
    ['payload', payload(event)],
  ])
}

function actor(event: unknown): string {
  const display = lineAt(event, 'actor', 'display')
  const id = lineAt(event, 'actor', 'id')
  const email = lineAt(event, 'actor', 'metadata', 'email')
  const role = lineAt(event, 'actor_role')
  const name = display && id && display !== id ? `${display} (${id})` : display || id
  return [name, email, role].filter(text => text !== '').join(', ')
}

function provenance(event: unknown): string {
  const route = lineAt(event, 'provenance', 'route')
  const verified = lineAt(event, 'provenance', 'verified')
  const delivery = lineAt(event, 'provenance', 'delivery_id')
  const parts = [route, verified && `verified: ${verified}`, delivery && `delivery ${delivery}`]
  return parts.filter(text => text !== '').join(', ')
}

function payload(event: unknown): string {
  const value = at(event, 'payload')
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return ''
  return firstLines(prettyJson(value), SHOWN_LINES)
}
