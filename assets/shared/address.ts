import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { type Params, readState, writeState } from './query-state.js'
import { rootPath } from './root-path.js'

/** Where the page is: a path below the root path, without a slash at its end (but `/`), and the query. */
export interface Address {
  path: string
  query: URLSearchParams
}

export type How = 'push' | 'replace'

const current = signal<Address>(readAddress())

/** Changes with links, `go`, and the browser's buttons. */
export const address: ReadonlySignal<Address> = current

/** For `href`: an address of this page. @param path from `/` */
export function href(path: string, query?: URLSearchParams | string): string {
  const search = String(query ?? '')
  return `${rootPath}${path}${search && `?${search}`}`
}

/** Goes there within the page. `replace` leaves no step to come back to. */
export function go(path: string, query: URLSearchParams = new URLSearchParams(), how: How = 'push'): void {
  const url = href(path, query)
  if (url === location.pathname + location.search) return
  if (how === 'push') history.pushState(null, '', url)
  else history.replaceState(null, '', url)
  current.value = readAddress()
}

/** A part of the view that lives in the address, under the names of `params`. */
export interface QueryState<State> {
  value: ReadonlySignal<State>
  /** Changes some of it; what others keep in the query stays. */
  set(change: Partial<State>, how?: How): void
  /** The query as it would be then, for a link. */
  query(change: Partial<State>): URLSearchParams
}

export function queryState<State extends object>(params: Params<State>): QueryState<State> {
  const value = computed(() => readState(params, current.value.query))
  const query = (change: Partial<State>) =>
    writeState(params, { ...value.value, ...change }, new URLSearchParams(current.value.query))
  return { value, query, set: (change, how = 'push') => go(current.value.path, query(change), how) }
}

/**
 * Follows links to these paths within the page, and the browser's buttons.
 *
 * @param paths of this page, from `/`
 */
export function startAddress(paths: readonly string[]): void {
  window.addEventListener('popstate', () => {
    current.value = readAddress()
  })
  document.addEventListener('click', event => {
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute('download')) return
    const url = new URL(link.href, location.href)
    const path = pathBelowRoot(url.pathname)
    if (url.origin !== location.origin || path === undefined || !paths.includes(path)) return
    event.preventDefault()
    go(path, url.searchParams)
  })
}

function readAddress(): Address {
  return { path: pathBelowRoot(location.pathname) ?? '/', query: new URLSearchParams(location.search) }
}

/** The server takes any case, and one slash more. */
function pathBelowRoot(pathname: string): string | undefined {
  const path = pathname.toLowerCase()
  if (!path.startsWith(rootPath.toLowerCase())) return undefined
  return path.slice(rootPath.length).replace(/\/$/, '') || '/'
}
