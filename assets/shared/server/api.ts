import { batch, type ReadonlySignal, signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { FieldProblem } from '#model/app-error'
import { keepDrafts } from '../drafts.js'
import { saveStored } from '../web-storage.js'
import { onReturn, reportNoResponse, reportResponse } from './connection.js'
import { rootPath } from './root-path.js'

/** Maximum number of refused fields in the message of a problem. The others follow after corrections. */
const MOST_SHOWN = 3

/**
 * A refusal or failure, from `application/problem+json`. Its message is for people. Without a response: status 0, code
 * `no_answer`.
 */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  readonly status: number
  /** For programs; never reworded. */
  readonly code: string
  readonly errors: readonly FieldProblem[]
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, problem: Record<string, unknown>, retryAfter: string | null = null) {
    const errors = readErrors(problem.errors)
    const detail = typeof problem.detail === 'string' ? problem.detail : 'The server gave no reason.'
    super(errors.length > 0 ? [...new Set(errors.slice(0, MOST_SHOWN).map(error => error.detail))].join(' ') : detail)
    this.status = status
    this.code = typeof problem.code === 'string' ? problem.code : `http_${status}`
    this.errors = errors
    this.requestId = typeof problem.request_id === 'string' ? problem.request_id : undefined
    this.retryAfterSeconds = Number(retryAfter) > 0 ? Number(retryAfter) : undefined
  }

  of(field: string): string | undefined {
    return this.errors.find(error => error.field === field || error.field.startsWith(`${field}/`))?.detail
  }
}

/** An error as a sentence for the user. */
export function reasonOf(problem: unknown): string {
  return problem instanceof ApiProblem ? problem.message : 'The page has an error. Reload it.'
}

type QueryValue = string | number | boolean | null | undefined
type Query = URLSearchParams | Readonly<Record<string, QueryValue | readonly QueryValue[]>>

export interface ApiCall {
  /** Default: GET, or POST with a body. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  query?: Query
  /** Sent as JSON. */
  body?: unknown
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal
  /** Time to the head of the response; default 30 seconds. */
  timeoutMs?: number
  keepalive?: boolean
}

/** An address of the API. @param path from `/api`, its variable segments encoded by `segment` */
export function apiUrl(path: string, query: Query = {}): string {
  const search = toSearch(query).toString()
  return `${rootPath}${path}${search && `?${search}`}`
}

export function segment(value: string): string {
  return encodeURIComponent(value)
}

/** Credentials that a page sends in addition to the cookie, and its reaction to a refusal. */
interface Credentials {
  headers: () => Readonly<Record<string, string>>
  /** Called on a 401. Never settles if it leaves the page. @throws the error with which the call fails */
  refused: (problem: ApiProblem, path: string) => Promise<never>
}

let credentials: Credentials = { headers: () => ({}), refused: () => leaveForLogin() }

/** Replaces the defaults: the cookie alone, and the login page at `/login`. */
export function showCredentials(shown: Credentials): void {
  credentials = shown
}

/**
 * Calls the API. If the session has ended, redirects to the login page, which leads back; the promise then stays
 * pending.
 *
 * @returns the JSON of the response; undefined for 204
 * @throws ApiProblem for a refusal or no response; the reason of `signal` once it is aborted
 */
export async function api<T>(path: string, call: ApiCall = {}): Promise<T> {
  const answer = await apiResponse(path, call)
  if (answer.status === 204) return undefined as T
  return (await readJson(answer)) as T
}

/** Deletes something that may be gone already. @throws ApiProblem */
export async function deleteAt(path: string, call: ApiCall = {}): Promise<void> {
  try {
    await api(path, { ...call, method: 'DELETE' })
  } catch (problem) {
    if (!(problem instanceof ApiProblem && problem.status === 404)) throw problem
  }
}

/** Like `api`, but returns the response itself: for headers, streams and downloads. */
export async function apiResponse(path: string, call: ApiCall = {}): Promise<Response> {
  let answer = await send(path, call)
  if (answer.status === 403 && !isRead(call) && (await problemOf(answer)).code.startsWith('csrf')) {
    // Another window has logged in again.
    rememberCsrfToken(undefined)
    answer = await send(path, call)
  }
  if (answer.ok) return answer
  const problem = await problemOf(answer)
  if (answer.status === 401) return credentials.refused(problem, path)
  throw problem
}

let csrfToken: Promise<string | null> | undefined

/** The token from `GET /api/session`; undefined makes the next call ask for it again. */
export function rememberCsrfToken(token: string | null | undefined): void {
  csrfToken = token === undefined ? undefined : Promise.resolve(token)
}

/** Stores drafts and opens the login page, which leads back to this address. @param leave navigates there */
export function leaveForLogin(leave: () => void = goToLogin): Promise<never> {
  if (!isLeaving) {
    isLeaving = true
    // The login page reads it once, and shows that the session ended.
    saveStored('session-ended', keepDrafts() ? 'draft' : 'plain', 'sessionStorage')
    leave()
  }
  return new Promise(() => {})
}

function goToLogin(): void {
  const next = location.pathname + location.search
  location.assign(`${rootPath}/login?${new URLSearchParams({ next })}`)
}

let isLeaving = false
window.addEventListener('pageshow', () => {
  isLeaving = false
})

async function send(path: string, call: ApiCall): Promise<Response> {
  const { body, query, signal, timeoutMs = 30_000, keepalive = false } = call
  const headers = new Headers({ ...credentials.headers(), ...call.headers })
  if (body !== undefined) headers.set('content-type', 'application/json')
  if (!isRead(call)) {
    const token = await askCsrfToken()
    if (token !== null) headers.set('x-csrf-token', token)
  }
  // Limits only the wait for the head; the body may take longer.
  const patience = new AbortController()
  const timer = window.setTimeout(() => patience.abort(), timeoutMs)
  try {
    const answer = await fetch(apiUrl(path, query), {
      method: call.method ?? (body === undefined ? 'GET' : 'POST'),
      headers,
      keepalive,
      cache: 'no-store',
      signal: AbortSignal.any([patience.signal, ...(signal ? [signal] : [])]),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    reportResponse()
    return answer
  } catch {
    signal?.throwIfAborted()
    reportNoResponse()
    throw new ApiProblem(0, { code: 'no_answer', detail: 'The server did not answer. Check that it is running.' })
  } finally {
    window.clearTimeout(timer)
  }
}

function isRead({ method, body }: ApiCall): boolean {
  return method === undefined ? body === undefined : method === 'GET'
}

async function askCsrfToken(): Promise<string | null> {
  csrfToken ??= api<{ csrf_token: string | null }>('/api/session').then(session => session.csrf_token)
  try {
    return await csrfToken
  } catch (error) {
    csrfToken = undefined
    throw error
  }
}

async function problemOf(answer: Response): Promise<ApiProblem> {
  const problem = Object(await readJson(answer.clone()).catch(() => ({})))
  return new ApiProblem(answer.status, problem, answer.headers.get('retry-after'))
}

/** A proxy or other server at our address does not send JSON. */
async function readJson(answer: Response): Promise<unknown> {
  try {
    return await answer.json()
  } catch {
    throw new ApiProblem(answer.status, { code: 'not_json', detail: 'The answer did not come from the server.' })
  }
}

function readErrors(errors: unknown): FieldProblem[] {
  if (!Array.isArray(errors)) return []
  return errors
    .map(error => Object(error) as Record<string, unknown>)
    .map(({ field, detail }) => ({ field: String(field), detail: inWords(String(field), String(detail)) }))
}

/** Members whose fields have another name on the pages. */
const FIELD_WORDS: Readonly<Record<string, string>> = { username: 'name', body: 'text', links: 'list of events' }

/** `/password needs …` → `The password needs …` */
function inWords(field: string, detail: string): string {
  const member = field.split('/').findLast(part => part !== '' && !/^\d+$/.test(part))
  if (!field.startsWith('/') || member === undefined || !detail.startsWith(`${field} `)) return detail
  const name = Object.hasOwn(FIELD_WORDS, member) ? FIELD_WORDS[member] : member.replaceAll('_', ' ')
  return `The ${name}${detail.slice(field.length)}`
}

function toSearch(query: Query): URLSearchParams {
  if (query instanceof URLSearchParams) return query
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) search.append(name, String(one))
    }
  }
  return search
}

/** A value loaded from the server, which can be loaded again. */
export interface Resource<T> {
  /** The last loaded value. It stays during a reload, and after one that failed. */
  value: ReadonlySignal<T | undefined>
  problem: ReadonlySignal<unknown>
  isLoading: ReadonlySignal<boolean>
  /** Loads the value and cancels an earlier load. Failures are in `problem`. */
  load(): Promise<void>
  cancel(): void
  /** Sets the value immediately, e.g. after saving. */
  set(value: T): void
}

export function createResource<T>(read: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const value = signal<T | undefined>(undefined)
  const problem = signal<unknown>(undefined)
  const isLoading = signal(false)
  let current: AbortController | undefined

  const settle = (mine: AbortController, change: () => void) => {
    // A later load has replaced this one.
    if (current !== mine) return
    batch(() => {
      change()
      isLoading.value = false
    })
  }
  return {
    value,
    problem,
    isLoading,
    set: next => {
      value.value = next
    },
    cancel: () => {
      current?.abort()
      current = undefined
      isLoading.value = false
    },
    load: async () => {
      current?.abort()
      const mine = new AbortController()
      current = mine
      isLoading.value = true
      try {
        const loaded = await read(mine.signal)
        settle(mine, () => {
          value.value = loaded
          problem.value = undefined
        })
      } catch (error) {
        settle(mine, () => {
          problem.value = error
        })
      }
    },
  }
}

/**
 * A resource of a component. Loads when first wanted, again whenever `changes` change, and after an outage if it
 * failed.
 */
export function useResource<T>(
  read: (signal: AbortSignal) => Promise<T>,
  changes: readonly unknown[] = [],
  isWanted = true,
): Resource<T> {
  const latest = useRef(read)
  latest.current = read
  const [resource] = useState(() => createResource<T>(signal => latest.current(signal)))
  useEffect(() => {
    if (!isWanted) return
    void resource.load()
    const stop = onReturn(() => resource.problem.peek() !== undefined && void resource.load())
    return () => {
      stop()
      resource.cancel()
    }
  }, [...changes, isWanted])
  return resource
}

/** A call of a form, with its progress and its failure. */
export function useSending() {
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState<unknown>(undefined)
  /** Does nothing while another call is in progress. */
  const send = async (act: () => Promise<unknown>): Promise<void> => {
    if (isSending) return
    setSending(true)
    setProblem(undefined)
    try {
      await act()
    } catch (failure) {
      setProblem(failure)
    } finally {
      setSending(false)
    }
  }
  /** The server's message about a field: `/name`. */
  const refusalOf = (field: string) => (problem instanceof ApiProblem ? problem.of(field) : undefined)
  return { isSending, problem, setProblem, send, refusalOf }
}

const SLOW_MS = 300

/** Whether a state has lasted for a while. Delays skeletons, so that fast responses do not flicker. */
export function useSlow(isSo: boolean): boolean {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    if (!isSo) {
      setSlow(false)
      return
    }
    const timer = window.setTimeout(() => setSlow(true), SLOW_MS)
    return () => window.clearTimeout(timer)
  }, [isSo])
  return isSo && isSlow
}
