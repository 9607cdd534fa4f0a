import { card } from './card.js'
import { at, countAt, lineAt } from './fields.js'
import type { TerminalStyle } from './terminal-style.js'

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
  const events = total === 1 ? '1 event' : `${total.toLocaleString('en')} events`
  const repeats = duplicates === 1 ? '1 repeat' : `${duplicates.toLocaleString('en')} repeats`
  return `${paint.green(`Recorded ${events}:`)} ${created.toLocaleString('en')} new, ${repeats}.`
}
