import { computed, effect, type ReadonlySignal, untracked } from '@preact/signals'
import { api } from '../../shared/api.js'
import { outage } from '../../shared/connection.js'
import { isPhone } from '../../shared/media.js'
import { now } from '../../shared/now.js'
import { createResource, type Resource } from '../../shared/resource.js'
import { toMs } from '../../shared/time.js'
import type { EventHistogram } from '../../shared/wire.js'
import { loaded } from './event-list-state.js'
import { apiQuery, filters, queryKey, rangeOf } from './filters.js'
import { closedBuckets, planOpenRange } from './histogram-buckets.js'
import { newerThan, withNewer, withoutFirst } from './histogram-growth.js'
import { localOffset } from './local-offset.js'

/** Bars that can be told apart in the width that there is. */
const MOST_BUCKETS = { wide: 96, phone: 48 } as const

interface Counted {
  histogram: EventHistogram
  /** The filters that were counted under, as `queryKey` writes them. */
  key: string
}

const counted = createResource<Counted>(async signal => {
  const key = queryKey.peek()
  return { key, histogram: await count(signal) }
})

const loadedEpoch = computed(() => loaded.value.epoch)

/** The list may know of newer events than were counted: those that Live brought. */
const grown = computed(() => {
  const { histogram, key } = counted.value.value ?? {}
  if (!histogram) return undefined
  const { items, key: listKey, hasNewer } = loaded.value
  return key === listKey && !hasNewer && !isGap(histogram) ? withNewer(histogram, items) : histogram
})

/**
 * How many events there are in the range, by source and over time, under the present filters; what Live brings is
 * counted as it comes. Those of the filters before stay until these are there.
 */
export const counts: Pick<Resource<EventHistogram>, 'value' | 'problem' | 'isLoading' | 'load'> = {
  ...{ value: grown, problem: counted.problem, isLoading: counted.isLoading },
  load: counted.load,
}

/** The counts are those of the filters that are set now. */
export const isCounted: ReadonlySignal<boolean> = computed(() => counted.value.value?.key === queryKey.value)

/** From now on the counts follow the filters, and with Live the time. Ended by what it returns. */
export function followCounts(): () => void {
  let triedAt = 0
  let epoch: string | undefined
  const stops = [
    effect(() => {
      queryKey.value
      isPhone.value
      untracked(() => void counted.load())
    }),
    effect(() => {
      const { histogram } = counted.value.value ?? {}
      if (!histogram || !isCounted.value || counted.isLoading.value) return
      const isOver = histogram.to !== null && filters.value.live && now.value > toMs(histogram.to)
      // Once a tick: a server that refuses is not asked again at once.
      if ((!isOver && !isGap(histogram)) || triedAt === now.value) return
      triedAt = now.value
      untracked(() => void counted.load())
    }),
    effect(() => {
      if (outage.value === undefined && counted.problem.peek()) void counted.load()
    }),
    effect(() => {
      // Another ledger has taken its place.
      const isOther = epoch !== undefined && epoch !== loadedEpoch.value
      epoch = loadedEpoch.value
      if (isOther) untracked(() => void counted.load())
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Between what was counted and the list's last row there may be more. */
function isGap({ head }: EventHistogram): boolean {
  const { items, key, hasOlder, hasNewer } = loaded.value
  if (key !== queryKey.value || hasNewer || !hasOlder || items.length === 0) return false
  return newerThan(items, head ?? '') === items.length
}

async function count(signal: AbortSignal, present = Date.now()): Promise<EventHistogram> {
  const query = apiQuery()
  const most = isPhone.peek() ? MOST_BUCKETS.phone : MOST_BUCKETS.wide
  const range = rangeOf(present)
  const ask = (over: Record<string, string | number | undefined>) =>
    api<EventHistogram>('/api/events/histogram', { query: { ...query, ...over }, signal })
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
  // The clock of the device is slow: the ledger is ahead of it.
  if (isBehind) return count(signal, toMs(all.head as string))
  return first ? withoutFirst(all, first) : all
}
