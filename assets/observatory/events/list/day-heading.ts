import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { html } from '../../../shared/html.js'
import { api } from '../../../shared/server/api.js'
import { now } from '../../../shared/words/now.js'
import { counted } from '../../../shared/words/text.js'
import { dayHeading, fromLocal, fromMs, justBefore, shownZone, toMs } from '../../../shared/words/time.js'
import { apiQuery, queryKey, rangeOf } from '../filters/filters.js'
import { loaded } from './event-list-state.js'
import { eventDay } from './list-rows.js'

/** Number of matching events of a day up to an instant; more may have arrived since. */
interface DayCount {
  count: number
  /** The ledger's head at that time. */
  upTo: string
}

/** Days scrolled past faster than this are not requested. */
const LINGER_MS = 150
/** Cached counts: a month for each of a few filters. */
const MOST_KEPT = 200

const counts = signal<ReadonlyMap<string, DayCount>>(new Map())

/** A day, and its number of matching events. */
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
    <span class="day-count">${before && counted(before.count + countSince(day, before.upTo), 'event')}</span>`
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

/** Events that Live added since the day was counted. */
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
  return fromMs(fromLocal(toMs(`${day}T00:00:00Z`) + later * 86_400_000))
}

function byTime(a: string, b: string): number {
  return (a === '' ? Number.NEGATIVE_INFINITY : toMs(a)) - (b === '' ? Number.NEGATIVE_INFINITY : toMs(b))
}
