import { cutToWidth } from './display-width.js'
import { eventActor, eventSubject } from './event-summary.js'
import { lineAt } from './fields.js'
import type { Look } from './look.js'

const TIME_OF_DAY = { start: 11, end: 19 }

/** One event as a line of a live feed. */
export function eventLine(event: unknown, { paint, columns }: Look): string {
  const time = lineAt(event, 'captured_at').slice(TIME_OF_DAY.start, TIME_OF_DAY.end)
  const source = lineAt(event, 'source')
  const kind = lineAt(event, 'kind')
  const about = [eventActor(event), eventSubject(event), lineAt(event, 'conversation', 'text')]
  const rest = about.filter(text => text !== '').join(' · ')
  const left = `${time}  ${source}  ${kind}  `.length
  return `${paint.dim(time)}  ${source}  ${paint.cyan(kind)}  ${cutToWidth(rest, Math.max(columns - left, 20))}`
}
