import { count, counted } from '#model/counted'
import type { StoredEvent } from '#model/events/event'
import { sentenceText } from '#model/sentences/event-sentence'
import type { SubscriptionPreview } from '#model/subscriptions/subscription-preview'
import { sourceStyle } from '../../../shared/controls/glyph.js'
import { classes, html } from '../../../shared/html.js'
import { ApiProblem, api, reasonOf, useResource } from '../../../shared/server/api.js'
import { pause } from '../../../shared/timing.js'
import { now } from '../../../shared/words/now.js'
import { Words } from '../../../shared/words/text-view.js'
import { dateWords, dayOf, exactTime, fromMs, shortTime, weekday } from '../../../shared/words/time.js'
import { actorName, eventKey, eventText } from '../../events/event-words.js'
import type { Draft } from './draft.js'

interface PreviewViewProps extends PreviewState {
  source: string
  whyNot: string | undefined
}

/** Number of matches in the last 7 days: a bar per day, and the three newest. */
export function PreviewView({ preview, problem, isCurrent, source, whyNot }: PreviewViewProps) {
  const words = whyNot ?? (problem !== undefined && isCurrent ? whyRefused(problem) : undefined)
  if (words !== undefined || !preview)
    return html`<section class="preview box" aria-label="What it would match"><p class="hint"><${Words} text=${words ?? 'Checking the last 7 days.'} limit=${600} /></p></section>`
  const { examples, complete, counted_from: from } = preview
  return html`<section class="preview box" aria-label="What it would match" aria-busy=${!isCurrent}>
    <div class="preview-head row wrap">
      <div role="status">
        <p class="preview-count"><strong>Would match ${!complete && 'at least '}${counted(preview.count, 'event')}</strong> in the last 7 days</p>
        <p class="hint">${daysWords(preview)}${!complete && ` Counted since ${dateWords(from, now.value)} ${shortTime(from)}: the source has too many events to check all.`}</p>
      </div>
      <${Bars} days=${preview.by_day} source=${source} />
    </div>
    ${
      examples.length > 0 &&
      html`<ul class="preview-examples">${examples.map(
        event => html`<li key=${eventKey(event)}>
          <time datetime=${event.captured_at} title=${exactTime(event.captured_at)}>${when(event.captured_at)}</time>
          <span class="ellipsis">${exampleWords(event)}</span>
        </li>`,
      )}</ul>`
    }
  </section>`
}

function exampleWords(event: Pick<StoredEvent, 'actor' | 'conversation'>) {
  const said = eventText(event)
  if (said.trim() === '') return html`<${Words} text=${sentenceText(event)} limit=${200} />`
  return html`<strong><${Words} text=${actorName(event)} limit=${80} /></strong>${' '}<${Words} text=${said} limit=${200} />`
}

/** The reason of a refusal. The form also shows it at its field; the JSON view only here. */
function whyRefused(problem: unknown): string {
  if (!(problem instanceof ApiProblem) || problem.errors.length === 0) return reasonOf(problem)
  return `Correct this to see what would match. ${problem.errors.map(({ detail }) => detail).join(' ')}`
}

/** The days have 24 hours each and end now, so one overlaps two calendar days. */
function daysWords({ count: all, by_day: days }: SubscriptionPreview): string {
  if (all === 0) return 'Nothing would have matched.'
  const most = Math.max(...days.map(day => day.count))
  const silent = days.filter(day => day.count === 0).length
  return `At most ${count(most)} in 24 hours.${silent > 0 ? ` None in ${silent} of the 7 days.` : ''}`
}

const HEIGHT_PX = 24

function Bars({ days, source }: { days: SubscriptionPreview['by_day']; source: string }) {
  const most = Math.max(1, ...days.map(day => day.count))
  const words = days.map(day => `${dateWords(day.start, now.value)}: ${count(day.count)}`).join(', ')
  return html`<div class=${classes('preview-bars', `source-${sourceStyle(source)}`)} role="img" aria-label=${`By 24 hours from each: ${words}`}>
    ${days.map(day => {
      const height = day.count === 0 ? 1 : Math.max(2, Math.round((day.count / most) * HEIGHT_PX))
      return html`<span class=${classes('preview-bar', day.count === 0 && 'is-none')} style=${{ height: `${height}px` }}
        title=${`24 hours from ${dateWords(day.start, now.value)} ${shortTime(day.start)}: ${counted(day.count, 'event')}`}></span>`
    })}
  </div>`
}

/** `14:12` today, else `Thu`. */
function when(at: string): string {
  const isToday = dayOf(at) === dayOf(fromMs(now.value))
  return isToday ? shortTime(at) : weekday(at)
}

const WAIT_MS = 400
const LONGEST_RETRY_S = 5

interface PreviewState {
  /** The preview of the draft or, during a request, of its previous version. */
  preview: SubscriptionPreview | undefined
  problem: unknown
  /** Whether it belongs to the current draft. */
  isCurrent: boolean
}

/** Requests a preview of a draft after a pause in editing. Undefined: nothing to request. */
export function usePreview(draft: Draft | undefined): PreviewState {
  const asked = draft && JSON.stringify(draft)
  const ask = async (signal: AbortSignal) => ({ of: asked, ...(await requestPreview(draft, signal)) })
  const shown = useResource(ask, [asked], asked !== undefined).value.value
  return {
    ...{ preview: shown?.preview, problem: shown?.problem },
    isCurrent: asked !== undefined && shown?.of === asked,
  }
}

async function requestPreview(body: Draft | undefined, signal: AbortSignal): Promise<Omit<PreviewState, 'isCurrent'>> {
  for (let waitMs = WAIT_MS; ; ) {
    await pause(waitMs, signal)
    signal.throwIfAborted()
    try {
      const preview = await api<SubscriptionPreview>('/api/subscriptions/preview', { body, signal })
      return { preview, problem: undefined }
    } catch (problem) {
      const isBusy = problem instanceof ApiProblem && problem.code === 'busy'
      if (!isBusy) return { preview: undefined, problem }
      waitMs = Math.min(problem.retryAfterSeconds ?? 1, LONGEST_RETRY_S) * 1000
    }
  }
}
