import { batch, computed, effect, type ReadonlySignal, signal, untracked } from '@preact/signals'
import { api, segment } from '../../shared/api.js'
import { outage } from '../../shared/connection.js'
import { createResource } from '../../shared/resource.js'
import type { EventPage, LedgerEvent } from '../../shared/wire.js'
import { apiQuery, filters, queryKey, setFilters } from './filters.js'
import { justBefore } from './instants.js'

/** Rows that are loaded at a time. */
const PAGE = 100
/** Rows that are kept; beyond, those at the other end go, and come back when scrolled to. */
const MOST = 20_000

/** What is loaded: one stretch of the ledger's order without a gap. */
export interface LoadedEvents {
  /** Newest first. A new array when anything has changed. */
  items: readonly LedgerEvent[]
  /** The filters they were loaded under, as `queryKey` writes them; undefined before the first were there. */
  key: string | undefined
  hasOlder: boolean
  /** The newest were let go, as the stretch had become too long. */
  hasNewer: boolean
  /** Everything that matches up to here is known, where there is nothing newer: where Live goes on from. */
  checkpoint: string | undefined
  epoch: string | undefined
}

const NOTHING: LoadedEvents = {
  ...{ items: [], key: undefined, hasOlder: false, hasNewer: false, checkpoint: undefined, epoch: undefined },
}

const state = signal<LoadedEvents>(NOTHING)
const work = signal<'anew' | 'older' | 'newer' | undefined>(undefined)
const failure = signal<{ of: 'anew' | 'older' | 'newer'; problem: unknown } | undefined>(undefined)
let current: AbortController | undefined

export const loaded: ReadonlySignal<LoadedEvents> = state
/** What is being loaded; rows stay meanwhile. */
export const loading: ReadonlySignal<'anew' | 'older' | 'newer' | undefined> = work
/** What could not be loaded, the last time. */
export const listProblem: ReadonlySignal<{ of: 'anew' | 'older' | 'newer'; problem: unknown } | undefined> = failure

/** Loads from the newest on, in place of what is there. A load that is under way is given up. */
export async function reload(): Promise<void> {
  const key = queryKey.peek()
  await run('anew', async signal => {
    const page = await api<EventPage>('/api/events', { query: { ...apiQuery(), order: 'desc', limit: PAGE }, signal })
    const { items, has_more: hasOlder, next_since, epoch } = page
    const now = state.peek()
    // Live may have brought some while the page was on its way.
    const since =
      now.key === key && now.epoch === epoch ? now.items.filter(event => event.captured_at > (next_since ?? '')) : []
    return { items: [...since, ...items], key, hasOlder, hasNewer: false, checkpoint: next_since ?? undefined, epoch }
  })
}

/** Goes on below the last row. Nothing comes in between: instants are never given twice, and never later. */
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

/** Goes on above the first row, where the stretch does not reach the head. */
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
 * Puts what Live brought on top.
 *
 * @param newer oldest first
 * @param checkpoint everything up to there is in it
 */
export function addNewest(newer: readonly LedgerEvent[], checkpoint: string): void {
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

/** Tries again what failed last. */
export function retryList(): void {
  const failed = failure.peek()
  failure.value = undefined
  if (failed?.of === 'older') void loadOlder()
  else if (failed?.of === 'newer') void loadNewer()
  else void reload()
}

/** From now on the rows follow the filters; what could not be loaded is loaded when the server is back. Ended by what it returns. */
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

/** Dedupe key of the event that is open in the panel. */
export const selectedKey: ReadonlySignal<string | undefined> = computed(() => filters.value.event || undefined)

const alone = createResource(async signal => {
  const key = selectedKey.peek()
  return key === undefined ? undefined : api<LedgerEvent>(`/api/events/${segment(key)}`, { signal })
})

/** The open event: of the list, or loaded by itself where the list does not reach it. */
export const selectedEvent: ReadonlySignal<LedgerEvent | undefined> = computed(() => {
  const key = selectedKey.value
  if (key === undefined) return undefined
  const found = state.value.items.find(event => event.dedupe_key === key)
  return found ?? (alone.value.value?.dedupe_key === key ? alone.value.value : undefined)
})

/** Why the open event is not there. */
export const selectedProblem: ReadonlySignal<unknown> = computed(() =>
  selectedEvent.value || alone.isLoading.value ? undefined : alone.problem.value,
)

/** Loads an event that is named by the address and is not in the list. */
export function loadSelected(): Promise<void> {
  return alone.load()
}

/** Opens an event beside the list. Walking on with the panel open leaves no steps to come back to. */
export function select(key: string): void {
  if (key !== selectedKey.peek()) setFilters({ event: key }, selectedKey.peek() === undefined ? 'push' : 'replace')
}

export function closeSelection(): void {
  if (selectedKey.peek() !== undefined) setFilters({ event: '' }, 'replace')
}

/** Opens the next row of the list, or the one before. @param step 1 is older, down the list */
export function walk(step: 1 | -1): void {
  const { items } = state.peek()
  const at = items.findIndex(event => event.dedupe_key === selectedKey.peek())
  const next = items[at === -1 ? 0 : at + step]
  if (next) select(next.dedupe_key)
  if (at + step >= items.length - 1) void loadOlder()
  if (at + step <= 0) void loadNewer()
}

async function run(
  what: 'anew' | 'older' | 'newer',
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
    // Another ledger has taken its place: what is loaded is not of it.
    if (isOther && what !== 'anew') await reload()
  } catch (problem) {
    if (current !== mine || mine.signal.aborted) return
    batch(() => {
      failure.value = { of: what, problem }
      work.value = undefined
    })
  }
}

/** Lists ask for more with every scroll; what has failed is asked for again when somebody says so. */
function isStuck(what: 'older' | 'newer'): boolean {
  return failure.peek()?.of === what
}
