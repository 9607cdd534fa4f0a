import { effect, type ReadonlySignal, signal } from '@preact/signals'
import type { EventPage } from '#model/ledger-answers'
import { sentenceText } from '#model/sentences/event-sentence'
import { href } from '../../shared/address.js'
import { readState, writeState } from '../../shared/query-state.js'
import { ApiProblem, api } from '../../shared/server/api.js'
import { rootPath } from '../../shared/server/root-path.js'
import { newCount } from '../../shared/shell.js'
import { pause } from '../../shared/timing.js'
import { readStored, saveStored } from '../../shared/web-storage.js'
import { fromMs } from '../../shared/words/time.js'
import { FILTER_PARAMS, NO_RANGE, toApiQuery } from './filters/filter-params.js'
import { filters } from './filters/filters.js'

export interface SavedSearch {
  /** The filters as in the address, without the range. */
  query: string
  /** New matching events are counted in the title, and shown as notifications of the desktop. */
  notifies: boolean
}

const MOST = 20
/** Maximum number of notifying searches, because each holds a request open. */
export const MOST_NOTIFYING = 3
const WAIT_S = 25
const RETRY_MS = 5_000

const saved = signal(readSaved([]))
export const savedSearches: ReadonlySignal<readonly SavedSearch[]> = saved

window.addEventListener('storage', ({ key }) => {
  if (key === 'daybook.searches') saved.value = readSaved()
})

/** The current filters, in the form of a saved search. */
export function currentSearch(): string {
  const state = { ...filters.value, ...NO_RANGE, event: '', live: false }
  return String(writeState(FILTER_PARAMS, state, new URLSearchParams()))
}

/** `deploys, failed`: the values of its filters. */
export function searchWords(query: string): string {
  return [...new URLSearchParams(query)]
    .map(([name, value]) => (name.startsWith('exclude_') ? `not ${value}` : value))
    .join(', ')
}

/** Saves a search, or changes it. @returns whether there was room, and the browser stored it */
export function saveSearch(search: SavedSearch): boolean {
  const others = readSaved().filter(({ query }) => query !== search.query)
  if (others.length >= MOST) return false
  saved.value = [...others, search]
  return saveStored('searches', saved.value)
}

export function forgetSearch(query: string): void {
  saved.value = readSaved().filter(other => other.query !== query)
  saveStored('searches', saved.value)
}

/** Waits for new events of the searches that notify, while the page is open. */
export function notifyOfSearches(): void {
  const running = new Map<string, AbortController>()
  effect(() => {
    const wanted = saved.value.filter(({ notifies }) => notifies).slice(0, MOST_NOTIFYING)
    for (const [query, ended] of running) {
      if (wanted.some(search => search.query === query)) continue
      ended.abort()
      running.delete(query)
    }
    for (const { query } of wanted) {
      if (running.has(query)) continue
      const ended = new AbortController()
      running.set(query, ended)
      void followOnce(query, ended.signal)
    }
  })
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') newCount.value = 0
  })
}

/**
 * Follows in only one tab, because a browser opens six connections to a server for all tabs together. Locks need TLS,
 * except on this machine.
 */
async function followOnce(query: string, signal: AbortSignal): Promise<void> {
  const { locks } = navigator as { locks?: LockManager }
  if (!locks) return follow(query, signal)
  try {
    await locks.request(`${rootPath}/ notifies ${query}`, { signal }, () => follow(query, signal))
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

async function follow(query: string, signal: AbortSignal): Promise<void> {
  const { days: _, ...asked } = toApiQuery(readState(FILTER_PARAMS, new URLSearchParams(query)))
  let since: string | undefined
  while (!signal.aborted) {
    try {
      since ??= (await api<EventPage>('/api/events', { query: { limit: 1 }, signal })).head ?? fromMs(0)
      const held = { ...asked, since, order: 'asc', limit: 100, wait: WAIT_S }
      const page = await api<EventPage>('/api/events', { query: held, signal, timeoutMs: 2 * WAIT_S * 1000 })
      since = page.next_since ?? since
      if (page.count > 0) notify(query, page)
    } catch (problem) {
      // The ledger was replaced: the search continues with its new events.
      if (problem instanceof ApiProblem && problem.code === 'ahead_of_ledger') since = undefined
      // An outage is shown above the view. The next request continues from the same checkpoint.
      await pause(RETRY_MS, signal)
    }
  }
}

function notify(query: string, { items, count }: EventPage): void {
  if (document.visibilityState === 'visible') return
  newCount.value += count
  if (!('Notification' in window) || Notification.permission !== 'granted') return
  const more = count > 1 ? ` and ${count - 1} more` : ''
  const notice = new Notification(searchWords(query) || 'All events', {
    body: `${sentenceText(items[0])}${more}`,
    tag: query,
  })
  notice.onclick = () => {
    window.focus()
    location.assign(href('/', query))
  }
}

/** The stored value may come from another release. Without storage: those of this page. */
function readSaved(unstored: readonly SavedSearch[] = saved.peek()): readonly SavedSearch[] {
  const kept = readStored('searches') ?? unstored
  const all = Array.isArray(kept) ? kept.slice(0, MOST) : []
  return all
    .filter(one => typeof one?.query === 'string')
    .map(({ query, notifies }) => ({ query, notifies: notifies === true }))
}
