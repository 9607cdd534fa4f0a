import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { counted } from '#model/counted'
import { CopyButton } from '../../../shared/controls/copy.js'
import { Glyph } from '../../../shared/controls/glyph.js'
import { html } from '../../../shared/html.js'
import { ApiProblem, api, reasonOf } from '../../../shared/server/api.js'
import { rootPath } from '../../../shared/server/root-path.js'
import { now } from '../../../shared/words/now.js'
import {
  DAY,
  dateWords,
  dayHeading,
  dayOf,
  fromLocal,
  fromMs,
  justBefore,
  shownZone,
  toMs,
} from '../../../shared/words/time.js'
import { overview } from '../../overview.js'
import { apiQuery, hasFilters, queryKey, rangeOf } from '../filters/filters.js'
import { loaded, loading, retryList } from './event-list-state.js'
import { eventDay } from './list-rows.js'

/** Number of matching events of a day up to an instant; more may have arrived since. */
interface DayCount {
  count: number
  /** The ledger's head at that time. */
  upTo: string
}

/** The count of a day is requested only if the day stays in view for this long. */
const LINGER_MS = 150
/** Maximum number of cached counts: a month for each of a few filters. */
const MOST_KEPT = 200

const counts = signal<ReadonlyMap<string, DayCount>>(new Map())

export function DayHeading({ day }: { day: string }) {
  const key = `${loaded.value.epoch} ${queryKey.value} ${shownZone.value} ${day}`
  const before = counts.value.get(key)
  const known = before && !isGap(before) ? before : undefined
  useEffect(() => {
    if (known) return
    const timer = window.setTimeout(() => void askCount(key, day), LINGER_MS)
    return () => window.clearTimeout(timer)
  }, [key, known])
  return html`<strong>${dayHeading(day, now.value)}</strong>
    <span class="day-count dim-text">${before && counted(before.count + countSince(day, before.upTo), 'event')}</span>`
}

/** A day's heading may be rendered twice: in the list and sticky on top. */
const asked = new Set<string>()

async function askCount(key: string, day: string): Promise<void> {
  if (asked.has(key)) return
  asked.add(key)
  const { days: _days, ...query } = apiQuery()
  const range = rangeOf(now.peek())
  const from = [localMidnight(day, 0), range.from ?? ''].sort(byTime).at(-1)
  const to = [justBefore(localMidnight(day, 1)), ...(range.isOpen ? [] : [range.to])].sort(byTime)[0]
  try {
    const { count, complete, head } = await api<{ count: number; complete: boolean; head: string | null }>(
      '/api/histogram',
      { query: { ...query, from, to, buckets: 1 } },
    )
    if (!complete || head === null) return
    counts.value = new Map([...counts.peek(), [key, { count, upTo: head }] as const].slice(-MOST_KEPT))
  } catch {
    // Without a count the heading shows only the day; the list reports the problem.
  } finally {
    asked.delete(key)
  }
}

/** Whether events may be missing between the count and the list's last row. */
function isGap({ upTo }: DayCount): boolean {
  const { items, hasOlder } = loaded.value
  const last = items.at(-1)
  return hasOlder && last !== undefined && last.captured_at > upTo
}

function countSince(day: string, upTo: string): number {
  let since = 0
  for (const event of loaded.value.items) {
    if (event.captured_at <= upTo) break
    if (eventDay(event) === day) since += 1
  }
  return since
}

/** @param day from `dayOf` */
function localMidnight(day: string, later: number): string {
  return fromMs(fromLocal(toMs(`${day}T00:00:00Z`) + later * DAY))
}

function byTime(a: string, b: string): number {
  return (a === '' ? Number.NEGATIVE_INFINITY : toMs(a)) - (b === '' ? Number.NEGATIVE_INFINITY : toMs(b))
}

/** Below the last row: more to load, or the end. */
export function ListEnd({ onEarlier }: { onEarlier: () => void }) {
  if (loading.value === 'older' || loaded.value.hasOlder) return html`<${SkeletonRows} count=${3} />`
  return html`<div class="events-end hint stack"><${Beginning} onEarlier=${onEarlier} /></div>`
}

function Beginning({ onEarlier }: { onEarlier: () => void }) {
  const first = overview.value.value?.stats.first_captured_at
  const { from } = rangeOf(now.value)
  if (from === undefined || (first && toMs(first) >= toMs(from))) {
    if (hasFilters())
      return html`<p>No earlier event matches.${first && ` The ledger begins on ${longDate(first)}.`}</p>`
    return html`<p>This is the first event of the ledger${first && `, ${longDate(first)}`}.</p>`
  }
  const earlier = first ? `Earlier events go back to ${longDate(first)}` : 'There are earlier events'
  return html`<p>The range starts on ${dateWords(from, now.value)}. ${earlier}.</p>
    <p><button type="button" class="button" onClick=${onEarlier}>Show earlier events</button></p>`
}

/** `3 March 2026` */
function longDate(instant: string): string {
  const words = dayHeading(dayOf(instant), 0)
  return words.slice(words.indexOf(' ') + 1)
}

export function ListProblem({ problem }: { problem: unknown }) {
  const known = problem instanceof ApiProblem ? problem : undefined
  const isAsked = known !== undefined && known.status >= 400 && known.status < 500
  const code = [known?.status || undefined, known?.code].filter(Boolean).join(' ')
  const small = [code, known?.requestId && `request ${known.requestId}`].filter(Boolean).join(' · ')
  return html`<section class="events-blank" aria-label="Events">
    <div class="empty-state stack" role="alert">
      <${Glyph} name="warning" class="is-danger" />
      <h2>${isAsked ? 'This search is not valid' : 'The events could not be loaded'}</h2>
      <p>${reasonOf(problem)} Recorded events are safe.</p>
      <div class="buttons">
        <button type="button" class="button primary" onClick=${retryList}>Try again</button>
        <a class="button" href=${`${rootPath}/api/health`}>See health</a>
      </div>
      ${small && html`<p class="hint"><span class="code">${small}</span> <${CopyButton} text=${() => small} label="Copy" /></p>`}
    </div>
  </section>`
}

export function SkeletonRows({ count }: { count: number }) {
  return html`<div aria-hidden="true">
    ${Array.from(
      { length: count },
      (_, at) => html`<div key=${at} class="event-row is-skeleton">
        <span class="event-time"><span class="skeleton"></span></span>
        <span class="event-glyph"><span class="skeleton"></span></span>
        <div class="event-sentence"><p class="skeleton"></p><p class="skeleton"></p></div>
      </div>`,
    )}
  </div>`
}
