import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { type Params, readState, writeState } from './query-state.js'
import { rootPath } from './server/root-path.js'

/** The page's address: a path below the root path, without trailing slash (except `/`), and the query. */
interface Address {
  path: string
  query: URLSearchParams
}

export type HistoryUpdate = 'push' | 'replace'

/** State of a history entry that was added for sheets: how many are open, and the address below them. */
interface SheetState {
  sheets: number
  below: string
}

let shownUrl = ''
const current = signal<Address>(readAddress())

/** Follows links, `go`, and the browser's history. */
export const address: ReadonlySignal<Address> = current

/** An address of this page, for `href`. @param path from `/` */
export function href(path: string, query?: URLSearchParams | string): string {
  const search = String(query ?? '')
  return `${rootPath}${path}${search && `?${search}`}`
}

/** Navigates within the page. `replace` adds no history entry. */
export function go(path: string, query: URLSearchParams = new URLSearchParams(), how: HistoryUpdate = 'push'): void {
  const url = href(path, query)
  if (url === location.pathname + location.search) return
  // A choice in a sheet replaces the history entry of the sheet.
  if (how === 'push' && history.state === null) history.pushState(null, '', url)
  else history.replaceState(path === current.value.path ? history.state : null, '', url)
  current.value = readAddress()
}

/** Sheets over the view that are not in the address, the top one last. */
const sheets: { close: () => void }[] = []

/** Makes the Back button of a phone close a sheet, until the returned function is called. */
export function closeByBack(close: () => void): () => void {
  const sheet = { close }
  sheets.push(sheet)
  settleSheets()
  return () => {
    const at = sheets.indexOf(sheet)
    if (at === -1) return
    sheets.splice(at, 1)
    settleSheets()
  }
}

/** Adjusts the history entries to the open sheets. Deferred, because a menu that closes may open a dialog. */
function settleSheets(): void {
  window.setTimeout(() => {
    const { sheets: depth = 0, below = location.href } = (history.state ?? {}) as Partial<SheetState>
    const state: SheetState = { sheets: sheets.length, below: location.href }
    if (sheets.length > depth) history.pushState(state, '')
    // Keeps the address that a choice in the sheet has set. Going back then leads to the address before the sheet.
    else if (depth > sheets.length && location.href !== below)
      history.replaceState(sheets.length > 0 ? state : null, '')
    else if (depth > sheets.length) history.go(sheets.length - depth)
  })
}

/** View state stored in the address under the names of `params`. */
interface QueryState<State> {
  value: ReadonlySignal<State>
  /** Changes some of it; other members of the query stay. */
  set(change: Partial<State>, how?: HistoryUpdate): void
  /** The resulting query, for a link. */
  query(change: Partial<State>): URLSearchParams
}

export function queryState<State extends object>(params: Params<State>): QueryState<State> {
  const value = computed(() => readState(params, current.value.query))
  const query = (change: Partial<State>) =>
    writeState(params, { ...value.value, ...change }, new URLSearchParams(current.value.query))
  return { value, query, set: (change, how = 'push') => go(current.value.path, query(change), how) }
}

/**
 * Handles links to these paths and browser history within the page. The browser handles links to places such as `#view`.
 *
 * @param paths of this page, from `/`
 */
export function startAddress(paths: readonly string[]): void {
  // A reloaded page has no sheets.
  history.replaceState(null, '')
  window.addEventListener('popstate', () => {
    const { sheets: depth = 0 } = (history.state ?? {}) as Partial<SheetState>
    const closed = sheets.splice(depth).reverse()
    for (const { close } of closed) close()
    // Choices in a sheet stay when the Back button closes it.
    if (closed.length === 0 || shownUrl === location.href) current.value = readAddress()
    else if (depth === 0) history.pushState(null, '', shownUrl)
    else history.replaceState(history.state, '', shownUrl)
  })
  document.addEventListener('click', event => {
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a:not([href^="#"])') : null
    if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute('download')) return
    const url = new URL(link.href, location.href)
    const path = pathBelowRoot(url.pathname)
    if (url.origin !== location.origin || path === undefined || !paths.includes(path)) return
    event.preventDefault()
    go(path, url.searchParams)
  })
}

function readAddress(): Address {
  shownUrl = location.href
  return { path: pathBelowRoot(location.pathname) ?? '/', query: new URLSearchParams(location.search) }
}

/** The server ignores case and one trailing slash. */
function pathBelowRoot(pathname: string): string | undefined {
  const path = pathname.toLowerCase()
  if (!path.startsWith(rootPath.toLowerCase())) return undefined
  return path.slice(rootPath.length).replace(/\/$/, '') || '/'
}
