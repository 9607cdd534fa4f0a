import { batch, computed, effect, type ReadonlySignal, signal, untracked } from '@preact/signals'
import type { StoredEvent } from '#model/events/event'
import { api, segment } from '../../../shared/server/api.js'
import { outage } from '../../../shared/server/connection.js'
import { createResource } from '../../../shared/server/resource.js'
import type { EventPage } from '../../../shared/server/wire.js'
import { justBefore } from '../../../shared/words/time.js'
import { eventKey } from '../event-words.js'
import { apiQuery, filters, queryKey, setFilters } from '../filters/filters.js'

/** Rows per request. */
const PAGE = 100
/** Maximum loaded rows; above it, rows at the other end are dropped and load again when scrolled to. */
const MOST = 20_000

/** The loaded events: a contiguous part of the ledger. */
export interface LoadedEvents {
  /** Newest first. A new array after every change. */
  items: readonly StoredEvent[]
  /** The filters under which they were loaded, from `queryKey`; undefined before the first load. */
  key: string | undefined
  hasOlder: boolean
  /** Whether the newest were dropped because the list became too long. */
  hasNewer: boolean
  /** Everything that matches up to here is loaded, if there is nothing newer: where Live continues. */
  checkpoint: string | undefined
  epoch: string | undefined
}

const NOTHING: LoadedEvents = {
  ...{ items: [], key: undefined, hasOlder: false, hasNewer: false, checkpoint: undefined, epoch: undefined },
}

const state = signal<LoadedEvents>(NOTHING)
const work = signal<'reload' | 'older' | 'newer' | undefined>(undefined)
const failure = signal<{ of: 'reload' | 'older' | 'newer'; problem: unknown } | undefined>(undefined)
let current: AbortController | undefined

export const loaded: ReadonlySignal<LoadedEvents> = state
/** The current load; rows stay during it. */
export const loading: ReadonlySignal<'reload' | 'older' | 'newer' | undefined> = work
/** What failed in the last load. */
export const listProblem: ReadonlySignal<{ of: 'reload' | 'older' | 'newer'; problem: unknown } | undefined> = failure

/** Loads from the newest event and replaces the list. Cancels a current load. */
export async function reload(): Promise<void> {
  const key = queryKey.peek()
  await run('reload', async signal => {
    const page = await api<EventPage>('/api/events', { query: { ...apiQuery(), order: 'desc', limit: PAGE }, signal })
    const { items, has_more: hasOlder, next_since, epoch } = page
    const now = state.peek()
    // Live may have added some during the request.
    const since =
      now.key === key && now.epoch === epoch ? now.items.filter(event => event.captured_at > (next_since ?? '')) : []
    return { items: [...since, ...items], key, hasOlder, hasNewer: false, checkpoint: next_since ?? undefined, epoch }
  })
}

/** Loads below the last row. Nothing can be missing: instants are unique and ascending. */
export async function loadOlder(): Promise<void> {
  const { items, hasOlder, key } = state.peek()
  const last = items.at(-1)
  if (!last || !hasOlder || work.peek() || isStuck('older') || key !== queryKey.peek()) return
  await run('older', async signal => {
    const query = { ...apiQuery(), to: justBefore(last.captured_at), order: 'desc', limit: PAGE }
    const page = await api<EventPage>('/api/events', { query, signal })
    const now = state.peek()
    const all = [...now.items, ...page.items]
    const isTooMany = all.length > MOST
    return {
      ...now,
      items: isTooMany ? all.slice(-MOST) : all,
      hasOlder: page.has_more,
      hasNewer: now.hasNewer || isTooMany,
    }
  })
}

/** Loads above the first row if the list does not reach the head. */
export async function loadNewer(): Promise<void> {
  const { items, hasNewer, key } = state.peek()
  const [first] = items
  if (!first || !hasNewer || work.peek() || isStuck('newer') || key !== queryKey.peek()) return
  await run('newer', async signal => {
    const query = { ...apiQuery(), since: first.captured_at, order: 'asc', limit: PAGE }
    const page = await api<EventPage>('/api/events', { query, signal })
    const now = state.peek()
    const all = [...page.items.toReversed(), ...now.items]
    const isTooMany = all.length > MOST
    return {
      ...{ ...now, items: isTooMany ? all.slice(0, MOST) : all, hasOlder: now.hasOlder || isTooMany },
      ...{ hasNewer: page.has_more, checkpoint: page.next_since ?? now.checkpoint },
    }
  })
}

/**
 * Adds new events from Live on top.
 *
 * @param newer oldest first
 * @param checkpoint includes everything up to it
 */
export function addNewest(newer: readonly StoredEvent[], checkpoint: string): void {
  const now = state.peek()
  const known = now.items[0]?.captured_at ?? ''
  const fresh = newer.filter(event => event.captured_at > known).reverse()
  const items = fresh.length > 0 ? [...fresh, ...now.items] : now.items
  const isTooMany = items.length > MOST
  state.value = {
    ...{ ...now, checkpoint, items: isTooMany ? items.slice(0, MOST) : items },
    hasOlder: now.hasOlder || isTooMany,
  }
}

/** Repeats what failed last. */
export function retryList(): void {
  const failed = failure.peek()
  failure.value = undefined
  if (failed?.of === 'older') void loadOlder()
  else if (failed?.of === 'newer') void loadNewer()
  else void reload()
}

/** Reloads the list whenever filters change or the server is back, until the returned function is called. */
export function followFilters(): () => void {
  const stopFollowing = effect(() => {
    queryKey.value
    untracked(() => void reload())
  })
  const stopReturning = effect(() => {
    if (outage.value === undefined && failure.peek()) untracked(retryList)
  })
  return () => {
    stopFollowing()
    stopReturning()
    current?.abort()
    work.value = undefined
  }
}

/** Dedupe key of the event in the panel. */
export const selectedKey: ReadonlySignal<string | undefined> = computed(() => filters.value.event || undefined)

const alone = createResource(async signal => {
  const key = selectedKey.peek()
  return key === undefined ? undefined : api<StoredEvent>(`/api/events/${segment(key)}`, { signal })
})

/** The open event: from the list, or loaded separately if not in it. */
export const selectedEvent: ReadonlySignal<StoredEvent | undefined> = computed(() => {
  const key = selectedKey.value
  if (key === undefined) return undefined
  const found = state.value.items.find(event => eventKey(event) === key)
  const loaded = alone.value.value
  // A plain key also names an unproved event if there is no other.
  return found ?? (loaded && [eventKey(loaded), loaded.dedupe_key].includes(key) ? loaded : undefined)
})

/** Why the open event could not be loaded. */
export const selectedProblem: ReadonlySignal<unknown> = computed(() =>
  selectedEvent.value || alone.isLoading.value ? undefined : alone.problem.value,
)

/** Loads the event named by the address if it is not in the list. */
export function loadSelected(): Promise<void> {
  return alone.load()
}

/** Opens an event in the panel. Moving on with an open panel adds no history entries. */
export function select(key: string): void {
  if (key !== selectedKey.peek()) setFilters({ event: key }, selectedKey.peek() === undefined ? 'push' : 'replace')
}

export function closeSelection(): void {
  if (selectedKey.peek() !== undefined) setFilters({ event: '' }, 'replace')
}

/** Opens the next or previous row of the list. @param step 1 is older, down the list */
export function walk(step: 1 | -1): void {
  const { items } = state.peek()
  const at = items.findIndex(event => eventKey(event) === selectedKey.peek())
  const next = items[at === -1 ? 0 : at + step]
  if (next) select(eventKey(next))
  if (at + step >= items.length - 1) void loadOlder()
  if (at + step <= 0) void loadNewer()
}

async function run(
  what: 'reload' | 'older' | 'newer',
  load: (signal: AbortSignal) => Promise<LoadedEvents>,
): Promise<void> {
  current?.abort()
  const mine = new AbortController()
  current = mine
  work.value = what
  try {
    const next = await load(mine.signal)
    if (current !== mine) return
    const isOther = state.peek().epoch !== undefined && next.epoch !== state.peek().epoch
    batch(() => {
      state.value = next
      failure.value = undefined
      work.value = undefined
    })
    // The ledger was replaced: the loaded events are from another one.
    if (isOther && what !== 'reload') await reload()
  } catch (problem) {
    if (current !== mine || mine.signal.aborted) return
    batch(() => {
      failure.value = { of: what, problem }
      work.value = undefined
    })
  }
}

/** Whether a load failed: scrolling requests more again and again, but a failed load is repeated only on demand. */
function isStuck(what: 'older' | 'newer'): boolean {
  return failure.peek()?.of === what
}
