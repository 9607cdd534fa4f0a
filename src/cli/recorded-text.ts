import { card } from './card.js'
import { at, countAt, lineAt } from './fields.js'
import type { Look } from './look.js'

/** The answer of `POST /api/events` to one event, or to an array of them. */
export function recordedText(answer: unknown, look: Look): string {
  const created = at(answer, 'created')
  if (typeof created === 'number') return recordedCount(created, Number(at(answer, 'duplicates')) || 0, look)
  const title =
    created === true ? look.paint.green('Recorded.') : look.paint.yellow('Known already; counted once more.')
  return card(look, title, [
    ['dedupe key', lineAt(answer, 'dedupe_key')],
    ['captured', lineAt(answer, 'captured_at')],
    ['seen', countAt(answer, 'seen_count')],
  ])
}

/** What became of many events. */
export function recordedCount(created: number, duplicates: number, { paint }: Look): string {
  const total = created + duplicates
  const events = total === 1 ? '1 event' : `${total.toLocaleString('en')} events`
  const repeats = duplicates === 1 ? '1 repeat' : `${duplicates.toLocaleString('en')} repeats`
  return `${paint.green(`Recorded ${events}:`)} ${created.toLocaleString('en')} new, ${repeats}.`
}
