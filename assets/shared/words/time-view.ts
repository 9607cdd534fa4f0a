import { html } from '../html.js'
import { now } from './now.js'
import { clockTime, dateWords, exactTime, relativeTime, shortTime } from './time.js'

interface TimeProps {
  /** An instant as in the API. */
  at: string
  /** `clock` 14:31:58 · `short` 14:31 · `relative` 2 min ago, then the date · `date` 20 Nov */
  as?: 'clock' | 'short' | 'relative' | 'date'
}

/** An instant with its exact form as tooltip: local and UTC, to the microsecond. */
export function Time({ at, as = 'clock' }: TimeProps) {
  return html`<time datetime=${at} title=${exactTime(at)}>${words(at, as)}</time>`
}

function words(at: string, as: NonNullable<TimeProps['as']>): string {
  if (as === 'clock') return clockTime(at)
  if (as === 'short') return shortTime(at)
  return as === 'relative' ? relativeTime(at, now.value) : dateWords(at, now.value)
}
