import { batch, computed, effect, type ReadonlySignal, signal, untracked } from '@preact/signals'
import type { StoredEvent } from '#model/events/event'
import type { EventPage } from '#model/ledger-answers'
import { api, createResource, segment } from '../../../shared/server/api.js'
import { onReturn } from '../../../shared/server/connection.js'
import { searchTerms } from '../../../shared/words/text.js'
import { justBefore, toMs } from '../../../shared/words/time.js'
import { eventKey } from '../event-words.js'
import { apiQuery, extendRange, filters, isOpenRange, queryKey, rangeOf, setFilters } from '../filters/filters.js'
import { zoomOut } from '../filters/time-range.js'
import { type ListedEvent, toListed } from './list-rows.js'

const PAGE = 100
/** Rows of the first request. They fill a window; the payloads of more rows would delay them. */
const FIRST_PAGE = 30
/** Maximum number of loaded rows. Above it, rows at the other end are dropped, until the user scrolls to them. */
export const MOST_LISTED = 2_000

/** The loaded events: a contiguous part of the ledger. */
interface LoadedEvents {
  /** Newest first. A new array after every change. */
  items: readonly ListedEvent[]
  /** The filters under which they were loaded, from `queryKey`; undefined before the first load. */
  key: string | undefined
  hasOlder: boolean
  /** Whether there are newer events: the list began at an older event, or newer ones were dropped. */
  hasNewer: boolean
  /** Where Live continues: every matching event up to here is loaded, or is newer than the loaded ones. */
  checkpoint: string | undefined
  epoch: string | undefined
  /** Key of the row at which the list was opened; undefined if it was opened at the newest. */
  openedAt: string | undefined
}

const NOTHING: LoadedEvents = {
  ...{ items: [], key: undefined, hasOlder: false, hasNewer: false },
  ...{ checkpoint: undefined, epoch: undefined, openedAt: undefined },
}

const state = signal<LoadedEvents>(NOTHING)
const work = signal<'reload' | 'older' | 'newer' | undefined>(undefined)
const failure = signal<{ of: 'reload' | 'older' | 'newer'; problem: unknown } | undefined>(undefined)
let current: AbortController | undefined
/** Set while the range changes for the event that is being opened. */
let isExtending = false

export const loaded: ReadonlySignal<LoadedEvents> = state
/** The current load; rows stay during it. */
export const loading: ReadonlySignal<'reload' | 'older' | 'newer' | undefined> = work
export const listProblem: ReadonlySignal<{ of: 'reload' | 'older' | 'newer'; problem: unknown } | undefined> = failure

export function listed(events: readonly StoredEvent[]): ListedEvent[] {
  const terms = searchTerms(filters.peek().q)
  return events.map(event => toListed(event, terms))
}

async function readPage(query: Readonly<Record<string, string>>, limit: number, signal: AbortSignal) {
  const page = await api<EventPage>('/api/events', { query: { ...apiQuery(), ...query, limit }, signal })
  return { ...page, items: listed(page.items) }
}

/** Loads from the newest event and replaces the list. Cancels a current load. */
export async function reload(): Promise<void> {
  const key = queryKey.peek()
  await run('reload', async signal => {
    const { items, has_more: hasOlder, next_since, epoch } = await readPage({ order: 'desc' }, FIRST_PAGE, signal)
    const now = state.peek()
    // Live may have added events during the request.
    const since =
      now.key === key && now.epoch === epoch ? now.items.filter(event => event.captured_at > (next_since ?? '')) : []
    return {
      ...{ items: [...since, ...items], key, hasOlder, hasNewer: false },
      ...{ checkpoint: next_since ?? undefined, epoch, openedAt: undefined },
    }
  })
}

/** Loads the part of the list around the position of an event. */
async function reloadAround({ captured_at: at }: Pick<StoredEvent, 'captured_at'>): Promise<void> {
  const key = queryKey.peek()
  await run('reload', async signal => {
    const [older, newer] = await Promise.all([
      readPage({ to: at, order: 'desc' }, FIRST_PAGE, signal),
      readPage({ since: at, order: 'asc' }, FIRST_PAGE, signal),
    ])
    const items = [...newer.items.reverse(), ...older.items]
    return {
      ...{ items, key, hasOlder: older.has_more, hasNewer: newer.has_more },
      ...{ checkpoint: endOf(newer), epoch: newer.epoch, openedAt: (older.items[0] ?? items.at(-1))?.key },
    }
  })
}

/** Loads below the last row. Nothing can be missing: instants are unique and ascending. */
export async function loadOlder(): Promise<void> {
  const { items, hasOlder, key } = state.peek()
  const last = items.at(-1)
  if (!last || !hasOlder || work.peek() || isStuck('older') || key !== queryKey.peek()) return
  await run('older', async signal => {
    const page = await readPage({ to: justBefore(last.captured_at), order: 'desc' }, PAGE, signal)
    const now = state.peek()
    const all = [...now.items, ...page.items]
    const isTooMany = all.length > MOST_LISTED
    return {
      ...now,
      items: isTooMany ? all.slice(-MOST_LISTED) : all,
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
    const page = await readPage({ since: first.captured_at, order: 'asc' }, PAGE, signal)
    const now = state.peek()
    const all = [...page.items.reverse(), ...now.items]
    const isTooMany = all.length > MOST_LISTED
    return {
      ...{ ...now, items: isTooMany ? all.slice(0, MOST_LISTED) : all, hasOlder: now.hasOlder || isTooMany },
      ...{ hasNewer: page.has_more, checkpoint: endOf(page) ?? now.checkpoint },
    }
  })
}

/** The checkpoint up to which every event is in the page, or comes after it. */
function endOf({ has_more, head, next_since }: Pick<EventPage, 'has_more' | 'head' | 'next_since'>) {
  return (has_more ? head : next_since) ?? undefined
}

/**
 * Adds new events from Live on top.
 *
 * @param newer oldest first
 * @param checkpoint includes everything up to it
 */
export function addNewest(newer: readonly ListedEvent[], checkpoint: string): void {
  const now = state.peek()
  const known = now.items[0]?.captured_at ?? ''
  const fresh = newer.filter(event => event.captured_at > known).reverse()
  const items = fresh.length > 0 ? [...fresh, ...now.items] : now.items
  const isTooMany = items.length > MOST_LISTED
  state.value = {
    ...{ ...now, checkpoint, items: isTooMany ? items.slice(0, MOST_LISTED) : items },
    hasOlder: now.hasOlder || isTooMany,
  }
}

export function retryList(): void {
  const failed = failure.peek()
  failure.value = undefined
  if (failed?.of === 'older') void loadOlder()
  else if (failed?.of === 'newer') void loadNewer()
  else load()
}

/**
 * Loads from the newest event; the first load, from the event in the address. A closed range that contains the open
 * event counts as a range around it, and a list that was opened at an event stays at the open one.
 */
function load(isFirst = state.peek().key === undefined): void {
  const event = selectedEvent.peek()
  if (isFirst && selectedKey.peek() !== undefined) void openSelected(true)
  else if (event && isInRange(event) && (!isOpenRange.peek() || state.peek().openedAt !== undefined))
    void reloadAround(event)
  else void reload()
}

/**
 * Reloads the list whenever filters change or the server is back, and opens the event that the address names, until the
 * returned function is called.
 */
export function followFilters(): () => void {
  let isStarting = true
  const stops = [
    effect(() => {
      queryKey.value
      if (!isExtending) untracked(() => load(isStarting || undefined))
    }),
    effect(() => {
      selectedKey.value
      if (!isStarting) untracked(() => void openSelected())
    }),
    onReturn(() => {
      if (failure.peek()) retryList()
      if (alone.problem.peek() !== undefined) void alone.load()
    }),
  ]
  isStarting = false
  return () => {
    for (const stop of stops) stop()
    current?.abort()
    work.value = undefined
  }
}

export const selectedKey: ReadonlySignal<string | undefined> = computed(() => filters.value.event || undefined)

const alone = createResource(async signal => {
  const key = selectedKey.peek()
  return key === undefined ? undefined : api<StoredEvent>(`/api/events/${segment(key)}`, { signal })
})

/** The open event, whole; undefined while it loads. */
export const selectedEvent: ReadonlySignal<StoredEvent | undefined> = computed(() => {
  const { value: key } = selectedKey
  const event = alone.value.value
  // A plain key also names an unverified event if there is no other.
  return event && key !== undefined && [eventKey(event), event.dedupe_key].includes(key) ? event : undefined
})

export const selectedProblem: ReadonlySignal<unknown> = computed(() =>
  selectedEvent.value || alone.isLoading.value ? undefined : alone.problem.value,
)

/** Loads the event of the address, and the list around it unless the list reaches it. */
async function openSelected(isFirst = false): Promise<void> {
  const key = selectedKey.peek()
  if (key !== undefined) await alone.load()
  if (selectedKey.peek() !== key) return
  const isNew = isFirst || state.peek().key === undefined
  const event = selectedEvent.peek()
  if (event && isNew) {
    isExtending = true
    extendRange(event.captured_at)
    isExtending = false
  }
  if (event && isInRange(event) && (isNew || state.peek().key !== queryKey.peek() || isBeyond(event)))
    await reloadAround(event)
  else if (isNew) await reload()
}

/** Shows a longer range from its last event on, below which the earlier ones follow. */
export function showEarlier(): void {
  const last = state.peek().items.at(-1)
  isExtending = true
  zoomOut(true)
  isExtending = false
  if (last) void reloadAround(last)
}

function isInRange({ captured_at: at }: StoredEvent): boolean {
  const { from, to, isOpen } = rangeOf(Date.now())
  return (from === undefined || toMs(at) >= toMs(from)) && (isOpen || toMs(at) <= toMs(to))
}

/** Whether it is older or newer than the loaded rows. */
function isBeyond({ captured_at: at }: StoredEvent): boolean {
  const { items, hasOlder, hasNewer } = state.peek()
  return (hasNewer && at > (items[0]?.captured_at ?? at)) || (hasOlder && at < (items.at(-1)?.captured_at ?? at))
}

export const retrySelected = alone.load

/** Opens an event in the panel. Moving on with an open panel adds no history entries. */
export function select(key: string): void {
  if (key !== selectedKey.peek()) setFilters({ event: key }, selectedKey.peek() === undefined ? 'push' : 'replace')
}

export function closeSelection(): void {
  if (selectedKey.peek() !== undefined) setFilters({ event: '' }, 'replace')
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

/** Whether a load failed. Scrolling requests more repeatedly, but a failed load is repeated only on demand. */
function isStuck(what: 'older' | 'newer'): boolean {
  return failure.peek()?.of === what
}
