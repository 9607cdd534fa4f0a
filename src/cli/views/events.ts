import { counted } from '../../model/counted.js'
import { joinSentence, sentenceOf } from '../../model/sentences/event-sentence.js'
import { eventKeyOf } from '../formats/event-shape.js'
import { card, firstLines } from '../terminal/card.js'
import { at, countAt, lineAt, listAt, textAt, timeAt } from '../terminal/fields.js'
import type { TerminalStyle } from '../terminal/style.js'
import { tableRows } from '../terminal/table.js'
import { prettyJson, toTerminalLine } from '../terminal/text.js'
import { cutToWidth, displayWidth } from '../terminal/text-width.js'

/** An event as a sentence, safe for a terminal: `Ada ran workflow test on tide/relay: failed`. */
export function eventSentence(event: unknown): string {
  return joinSentence(sentenceOf(event), toTerminalLine)
}

/** The sentence, and the text of its message or comment. */
function eventWords(event: unknown): string {
  const text = lineAt(event, 'conversation', 'text')
  return text === '' ? eventSentence(event) : `${eventSentence(event)} · ${text}`
}

/** The target and the things that contain it, innermost first. */
function targetPath(event: unknown): string {
  const names: string[] = []
  for (let node = at(event, 'target'); node !== undefined && names.length < 10; node = at(node, 'parent')) {
    const name = lineAt(node, 'display') || lineAt(node, 'key')
    const type = lineAt(node, 'type')
    if (name || type) names.push(name && type ? `${type} ${name}` : name || type)
  }
  return names.join(' ‹ ')
}

const SHOWN_LINES = 40

/** Renders one stored event. */
export function eventCard(event: unknown, style: TerminalStyle): string {
  const { paint } = style
  const seen = lineAt(event, 'seen_count')
  const title = `${paint.cyan(lineAt(event, 'kind'))} ${paint.dim('from')} ${lineAt(event, 'source')}`
  return card(style, title, [
    ['what', eventSentence(event)],
    ['erased', erased(event)],
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

function erased(event: unknown): string {
  const reason = lineAt(event, 'erased', 'reason')
  return reason && `${lineAt(event, 'erased', 'at')}, by ${lineAt(event, 'erased', 'by')}: ${reason}`
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

/** Minimum columns for a readable sentence. */
const LEAST_WORDS = 40
const TIME_OF_DAY = { start: 11, end: 19 }

/** Renders one event as a line of a live feed. */
export function eventLine(event: unknown, { paint, columns }: TerminalStyle): string {
  const time = lineAt(event, 'captured_at').slice(TIME_OF_DAY.start, TIME_OF_DAY.end)
  const source = lineAt(event, 'source')
  const kind = lineAt(event, 'kind')
  const words = eventWords(event)
  const [short, long] = [`${time}  ${source}  `, `${time}  ${source}  ${kind}  `].map(displayWidth)
  // The sentence already contains most of the information in the kind.
  const hasKind = columns - (long ?? 0) >= LEAST_WORDS
  const room = Math.max(columns - ((hasKind ? long : short) ?? 0), LEAST_WORDS)
  return [paint.dim(time), source, ...(hasKind ? [paint.cyan(kind)] : []), cutToWidth(words, room)].join('  ')
}

const EVENT_COLUMNS = [
  { title: 'captured (UTC)' },
  { title: 'source' },
  { title: 'seen', align: 'right' as const },
  { title: 'what happened', flexible: true, least: 40 },
]

/**
 * Renders a page of `GET /api/events`: each event as a sentence, with its kind and dedupe key below, then how to
 * continue in the direction of the list.
 */
export function eventTable(page: unknown, style: TerminalStyle, { isNewestFirst }: { isNewestFirst: boolean }): string {
  const { paint } = style
  const items = listAt(page, 'items')
  const hasMore = at(page, 'has_more') === true
  const next = isNewestFirst ? lineAt(items.at(-1), 'captured_at') : lineAt(page, 'next_since')
  const words = isNewestFirst ? `Older ones: --before ${next}` : `To read on: --since ${next}`
  const continuation = next !== '' && (hasMore || !isNewestFirst) ? [paint.dim(words)] : []
  if (items.length === 0) return [paint.dim('No events.'), ...continuation].join('\n')
  const [titles = [], ...rows] = tableRows(style, EVENT_COLUMNS, items.map(toCells))
  // Keys are never truncated, because users copy them.
  const withKeys = rows.map((lines, i) => [...lines, ...keyLines(items[i], style)].join('\n'))
  const count = counted(items.length, 'event')
  const more = hasMore ? ', and more' : ''
  return [...titles, ...withKeys, '', paint.dim(`${count}${more}.`), ...continuation].join('\n')
}

/** Kind and key, for copying. On two lines if one is too short. */
function keyLines(event: unknown, { paint, columns }: TerminalStyle): string[] {
  const both = [lineAt(event, 'kind'), eventKeyOf(event)]
  const lines = displayWidth(both.join('  ')) + 2 > columns ? both : [both.join('  ')]
  return lines.map(line => `  ${paint.dim(line)}`)
}

function toCells(event: unknown): string[] {
  return [timeAt(event, 'captured_at'), lineAt(event, 'source'), lineAt(event, 'seen_count'), eventWords(event)]
}

/** Renders the response of `POST /api/events` for one event or an array. */
export function recordedText(answer: unknown, style: TerminalStyle): string {
  const created = at(answer, 'created')
  if (typeof created === 'number') return recordedCount(created, Number(at(answer, 'duplicates')) || 0, style)
  const title =
    created === true ? style.paint.green('Recorded.') : style.paint.yellow('Already known; counted as a repeat.')
  return card(style, title, [
    ['dedupe key', lineAt(answer, 'dedupe_key')],
    ['captured', lineAt(answer, 'captured_at')],
    ['seen', countAt(answer, 'seen_count')],
  ])
}

/** Summary of many recorded events. */
export function recordedCount(created: number, duplicates: number, { paint }: TerminalStyle): string {
  const total = created + duplicates
  const events = counted(total, 'event')
  const repeats = counted(duplicates, 'repeat')
  return `${paint.green(`Recorded ${events}:`)} ${created.toLocaleString('en')} new, ${repeats}.`
}
