import { card } from '../terminal/card.js'
import { at, countAt, lineAt, linesAt, listAt, textAt, timeAt } from '../terminal/fields.js'
import type { TerminalStyle } from '../terminal/style.js'
import { table } from '../terminal/table.js'
import { prettyJson, toTerminalJson, toTerminalLine } from '../terminal/text.js'

const COLUMNS = [
  { title: 'name' },
  { title: 'description', flexible: true },
  { title: 'proof' },
  { title: 'secrets', align: 'right' as const },
  { title: 'accepts' },
  { title: 'updated (UTC)' },
]

/** Renders a list of sources. */
export function sourceTable(sources: unknown, style: TerminalStyle): string {
  const items = Array.isArray(sources) ? sources : []
  if (items.length === 0) return style.paint.dim('No sources. Add one with "daybook sources add".')
  const rows = items.map(source => [
    lineAt(source, 'definition', 'name'),
    lineAt(source, 'definition', 'description'),
    lineAt(source, 'definition', 'proof', 'type'),
    countAt(source, 'secret_count'),
    at(source, 'accepts') === true ? 'yes' : 'no',
    timeAt(source, 'updated_at'),
  ])
  return table(style, COLUMNS, rows)
}

/** Renders one source with its definition. */
export function sourceCard(source: unknown, style: TerminalStyle): string {
  const isFeed = at(source, 'definition', 'proof', 'type') === 'feed'
  const facts = card(style, lineAt(source, 'definition', 'name'), [
    ...(isFeed ? feedFacts(source) : deliveryFacts(source)),
    ['created', lineAt(source, 'created_at')],
    ['updated', lineAt(source, 'updated_at')],
  ])
  return `${facts}\n\n${prettyJson(at(source, 'definition') ?? null)}`
}

function deliveryFacts(source: unknown): [string, string][] {
  return [
    ['receives at', lineAt(source, 'webhook_path')],
    ['accepts', acceptance(source)],
    ['secrets', countAt(source, 'secret_count')],
  ]
}

function feedFacts(source: unknown): [string, string][] {
  return [
    ['reads', lineAt(source, 'definition', 'proof', 'url')],
    ['login', lineAt(source, 'definition', 'proof', 'login', 'type') || 'none'],
    ['secrets', countAt(source, 'secret_count')],
    ['accepts', acceptance(source)],
    ['read', lineAt(source, 'feed', 'read_at')],
    ['next', lineAt(source, 'feed', 'next_read_at')],
    ['problem', lineAt(source, 'feed', 'problem')],
  ]
}

function acceptance(source: unknown): string {
  if (at(source, 'accepts') === true) return 'yes'
  if (at(source, 'definition', 'enabled') === false) return 'no: it is disabled'
  return 'no: it has no secret. Set one with --secret-file.'
}

/** Renders what a saved delivery would become. */
export function testedDelivery(tested: unknown, style: TerminalStyle): string {
  const events = listAt(tested, 'events')
  const answer = at(tested, 'answer')
  if (events.length === 0 && answer !== undefined)
    return `The delivery asks for an answer: ${toTerminalJson(JSON.stringify(answer))}`
  if (events.length === 0) return 'The delivery is ignored: it becomes no event.'
  const without = listAt(tested, 'without_result')
  return events.map((event, index) => eventCard(event, without[index], style)).join('\n\n')
}

function eventCard(event: unknown, without: unknown, style: TerminalStyle): string {
  return card(style, lineAt(event, 'kind'), [
    ['fits no rule', lineAt(event, 'action', 'metadata', 'reason')],
    ['dedupe key', lineAt(event, 'dedupe_key')],
    ['subject', `${lineAt(event, 'subject_type')} ${lineAt(event, 'subject_id')}`],
    ['outcome', lineAt(event, 'action', 'outcome')],
    ['actor', lineAt(event, 'actor', 'display')],
    ['targets', keysOf(at(event, 'target')).join(', ')],
    ['occurred', lineAt(event, 'occurred_at')],
    ['title', lineAt(event, 'conversation', 'title')],
    ['text', textAt(event, 'conversation', 'text')],
    ['url', lineAt(event, 'conversation', 'url')],
    ['no result', linesAt(without).join(', ')],
  ])
}

function keysOf(target: unknown): string[] {
  const keys: string[] = []
  for (let node = target; node !== undefined; node = at(node, 'parent')) {
    const key = at(node, 'key')
    if (typeof key === 'string') keys.push(toTerminalLine(key))
  }
  return keys
}
