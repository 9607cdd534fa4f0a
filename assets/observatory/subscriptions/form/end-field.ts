import { useId, useState } from 'preact/hooks'
import { html } from '../../../shared/html.js'
import { dayOf, fromLocal, fromMs, localOffset, shortTime } from '../../../shared/words/time.js'
import { moment } from '../capture-words.js'
import { type Draft, metadataOf, withEnd } from './draft.js'

const HOUR_MS = 3_600_000
const SPANS = [
  { label: '1\u202fh', ms: HOUR_MS },
  { label: '4\u202fh', ms: 4 * HOUR_MS },
  { label: '1 day', ms: 24 * HOUR_MS },
] as const

/** The end of a subscription: none, after a while, or at an instant. */
export function EndField({
  draft,
  onChange,
  refusal,
}: {
  draft: Draft
  onChange: (draft: Draft) => void
  refusal: string | undefined
}) {
  const id = useId()
  const { expires_at: expiresAt } = metadataOf(draft)
  const end = typeof expiresAt === 'string' ? Date.parse(expiresAt) : Number.NaN
  const [span, setSpan] = useState<number | 'until' | undefined>(undefined)
  const chosen = expiresAt === undefined ? undefined : (span ?? 'until')
  const now = Date.now()
  const choose = (next: number | 'until' | undefined) => {
    setSpan(next)
    if (next === undefined) onChange(withEnd(draft, undefined))
    else if (next !== 'until') onChange(withEnd(draft, instant(now + next)))
    else if (Number.isNaN(end)) onChange(withEnd(draft, instant(now + 24 * HOUR_MS)))
  }
  const chip = (label: string, value: number | 'until' | undefined) =>
    html`<button type="button" class="chip" aria-pressed=${chosen === value} onClick=${() => choose(value)}>${label}</button>`
  return html`<fieldset class="form-part">
    <legend class="field-label">How long</legend>
    <div class="chips">
      ${chip('Until I stop it', undefined)}${SPANS.map(({ label, ms }) => chip(label, ms))}${chip('Until…', 'until')}
      ${
        chosen === 'until' &&
        html`<input class="field end-at" type="datetime-local" aria-label="Until" aria-describedby=${`${id}-said`} value=${localValue(end)}
          onInput=${(event: InputEvent) => {
            const local = Date.parse(`${(event.target as HTMLInputElement).value}Z`)
            if (!Number.isNaN(local)) onChange(withEnd(draft, instant(fromLocal(local))))
          }} />`
      }
      <span id=${`${id}-said`} class="hint">${endWords(end, now)}</span>
    </div>
    ${refusal !== undefined && html`<p class="field-problem">${refusal}</p>`}
  </fieldset>`
}

function endWords(end: number, now: number): string {
  if (Number.isNaN(end)) return ''
  const isToday = dayOf(fromMs(end)) === dayOf(fromMs(now))
  if (end <= now) return `ended ${moment(end, now)}: it matches nothing`
  const time = shortTime(fromMs(end))
  return isToday ? `ends today at ${time}` : `ends ${moment(end, now)} at ${time}`
}

function instant(ms: number): string {
  return fromMs(Math.round(ms / 1000) * 1000)
}

/** For `datetime-local`: local time to the minute. */
function localValue(ms: number): string {
  return Number.isNaN(ms) ? '' : fromMs(ms + localOffset(ms)).slice(0, 16)
}
