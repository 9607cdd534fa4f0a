import { computed, effect, type ReadonlySignal, signal, untracked } from '@preact/signals'
import type { EventHistogram } from '#model/ledger-answers'
import { isPhone } from '../../../shared/media.js'
import { api, createResource, type Resource } from '../../../shared/server/api.js'
import { onReturn } from '../../../shared/server/connection.js'
import { readStored, saveStored } from '../../../shared/web-storage.js'
import { now } from '../../../shared/words/now.js'
import { localOffset, shownZone, toMs } from '../../../shared/words/time.js'
import { apiQuery, filters, queryKey, rangeOf } from '../filters/filters.js'
import { loaded } from '../list/event-list-state.js'
import { closedBuckets, planOpenRange } from './histogram-buckets.js'
import { newerThan, withNewer, withoutFirst } from './histogram-growth.js'

/** Bars that are distinguishable in the available width. */
const MOST_BUCKETS = { wide: 96, phone: 48 } as const

interface Counted {
  histogram: EventHistogram
  key: string
}

const split = signal<'source' | 'outcome'>(readStored('histogram') === 'outcome' ? 'outcome' : 'source')
export const histogramSplit: ReadonlySignal<'source' | 'outcome'> = split

export function splitHistogram(by: 'source' | 'outcome'): void {
  split.value = by
  saveStored('histogram', by)
}

const counted = createResource<Counted>(async signal => {
  const key = queryKey.peek()
  return { key, histogram: await count(signal) }
})

const loadedEpoch = computed(() => loaded.value.epoch)

/** The counts, including newer events that Live has added. */
const grown = computed(() => {
  const { histogram, key } = counted.value.value ?? {}
  if (!histogram) return undefined
  const { items, key: listKey, hasNewer } = loaded.value
  return key === listKey && !hasNewer && !isGap(histogram) ? withNewer(histogram, items) : histogram
})

/**
 * Counts of events in the range, by source and over time, for the current filters, including events from Live. After a
 * filter change the old counts stay until the new ones arrive.
 */
export const counts: Pick<Resource<EventHistogram>, 'value' | 'problem' | 'isLoading' | 'load'> = {
  ...{ value: grown, problem: counted.problem, isLoading: counted.isLoading },
  load: counted.load,
}

export const isCounted: ReadonlySignal<boolean> = computed(() => counted.value.value?.key === queryKey.value)

/** Reloads the counts whenever filters change and, with Live, as time passes, until the returned function is called. */
export function followCounts(): () => void {
  let triedAt = 0
  let epoch: string | undefined
  const stops = [
    effect(() => {
      queryKey.value
      split.value
      isPhone.value
      // Buckets start at round times of the zone.
      shownZone.value
      untracked(() => void counted.load())
    }),
    effect(() => {
      const { histogram } = counted.value.value ?? {}
      if (!histogram || !isCounted.value || counted.isLoading.value) return
      const isOver = histogram.to !== null && filters.value.live && now.value > toMs(histogram.to)
      // At most once per tick, so that a refusing server is not asked in a loop.
      if ((!isOver && !isGap(histogram)) || triedAt === now.value) return
      triedAt = now.value
      untracked(() => void counted.load())
    }),
    onReturn(() => counted.problem.peek() && void counted.load()),
    effect(() => {
      // The ledger was replaced.
      const isOther = epoch !== undefined && epoch !== loadedEpoch.value
      epoch = loadedEpoch.value
      if (isOther) untracked(() => void counted.load())
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Whether events may be missing between the counts and the list's last row. */
function isGap({ head }: EventHistogram): boolean {
  const { items, key, hasOlder, hasNewer } = loaded.value
  if (key !== queryKey.value || hasNewer || !hasOlder || items.length === 0) return false
  return newerThan(items, head ?? '') === items.length
}

async function count(signal: AbortSignal, present = Date.now()): Promise<EventHistogram> {
  const query = { ...apiQuery(), ...(split.peek() === 'outcome' && { split: 'outcome' }) }
  const most = isPhone.peek() ? MOST_BUCKETS.phone : MOST_BUCKETS.wide
  const range = rangeOf(present)
  const ask = (over: Record<string, string | number | undefined>) =>
    api<EventHistogram>('/api/histogram', { query: { ...query, ...over }, signal })
  if (!range.isOpen || range.from === undefined) {
    const buckets = range.from === undefined ? most : closedBuckets(toMs(range.to) + 1 - toMs(range.from), most)
    return ask({ buckets })
  }
  const { before, ...plan } = planOpenRange({ from: range.from, now: present, most, offsetMs: localOffset(present) })
  const [all, first] = await Promise.all([
    ask({ ...plan, days: undefined }),
    before && ask({ ...before, buckets: 1, days: undefined }),
  ])
  const isBehind = all.head !== null && all.head > plan.to && toMs(all.head) > present
  // The device's clock is slow: the ledger is ahead of it.
  if (isBehind) return count(signal, toMs(all.head as string))
  return first ? withoutFirst(all, first) : all
}
