import type { Agent } from 'node:http'
import { exchange, type HttpAnswer } from '../../http/exchange.js'
import { HttpFailure } from '../../http/http-failure.js'
import { AppError } from '../../model/app-error.js'
import { parseUrl } from '../../model/parse-url.js'
import {
  answerUnreadable,
  type PlatformWords,
  rateLimited,
  toPlatformFailure,
  toPlatformRefusal,
} from './platform-refusals.js'
import { MIN_WAIT_SECONDS, waitAfter, waitAsked } from './platform-wait.js'

const IDLE_SECONDS = 30
const TOTAL_SECONDS = 120
/** GitHub redirects once; after two renames perhaps twice. */
const MOST_REDIRECTS = 3
/** After 301 and 302, clients may change the method to GET. */
const REDIRECTING: Readonly<Record<'GET' | 'POST', readonly number[]>> = {
  GET: [301, 302, 307, 308],
  POST: [307, 308],
}
/** Fits a page of the largest texts that the platforms accept. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

export interface PlatformApiOptions {
  /** Address of the API, without a trailing slash; may have a path. */
  baseUrl: string
  /** Include the credential, if there is one. A function is called for each request: some credentials expire. */
  headers: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>)
  /** @throws the signal's reason once it is aborted */
  sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>
  /** Epoch milliseconds. */
  now: () => number
  /** Called before each wait that the platform asks for. */
  onWait?: ((seconds: number) => void) | undefined
}

/** How a caller reads a platform. */
export interface RequestPolicy {
  /** Maximum number of simultaneous requests. */
  connections: number
  /** Maximum total time that one request waits because the platform asks for it. */
  longestWaitSeconds: number
  /** Pauses before retries of a request that failed at the server or in transit. */
  retrySeconds: readonly number[]
  words: PlatformWords
}

interface PlatformCall {
  headers?: Readonly<Record<string, string>>
  /** Statuses that the caller handles, in addition to successes. */
  accepted?: readonly number[]
  signal?: AbortSignal | undefined
}

export interface PlatformAnswer {
  status: number
  headers: HttpAnswer['headers']
  text: string
}

/**
 * The REST API of a code host or forum, over kept connections. It waits as the platform asks. It follows redirects
 * only below its own address, where a repository with a new name is.
 *
 * Methods may throw AppError `unavailable/platform_…`, `invalid/platform_request_refused`, and the codes of the words
 * for 401, 403 and 404; the signal's reason once it is aborted.
 */
export class PlatformApi {
  readonly #agent: Agent
  #clockAheadMs = 0
  /** Epoch milliseconds. The platform refuses requests before this time. */
  #closedUntil = 0
  #running = 0
  readonly #queue: (() => void)[] = []

  constructor(
    private readonly options: PlatformApiOptions,
    private readonly policy: RequestPolicy,
  ) {
    const http = process.getBuiltinModule(options.baseUrl.startsWith('https:') ? 'node:https' : 'node:http')
    this.#agent = new http.Agent({ keepAlive: true, maxSockets: policy.connections })
  }

  /** Sends a request as soon as a connection is free. Its time limits begin only then. */
  async call(method: 'GET' | 'POST', path: string, call: PlatformCall = {}): Promise<PlatformAnswer> {
    if (this.#running >= this.policy.connections) await new Promise<void>(resolve => this.#queue.push(resolve))
    else this.#running++
    try {
      return await this.#attempt(method, path, call)
    } finally {
      const next = this.#queue.shift()
      if (next) next()
      else this.#running--
    }
  }

  /** The value of a JSON text from the platform. */
  parse(text: string): unknown {
    try {
      return JSON.parse(text)
    } catch {
      throw this.unreadable('not with JSON')
    }
  }

  /** @param how such as `not with a list` */
  unreadable(how: string): AppError {
    return answerUnreadable(how, this.options.baseUrl, this.policy.words)
  }

  /** How far the platform's clock is ahead of ours, in milliseconds, by its latest answer. */
  clockAheadMs(): number {
    return this.#clockAheadMs
  }

  /** Closes the connections. */
  close(): void {
    this.#agent.destroy()
  }

  async #attempt(method: 'GET' | 'POST', path: string, call: PlatformCall): Promise<PlatformAnswer> {
    const { baseUrl, now, sleep } = this.options
    const { retrySeconds, words } = this.policy
    let waited = 0
    let at = path
    for (let failures = 0, redirects = 0, limits = 0; ; ) {
      waited += await this.#waitUntilOpen(waited, call.signal)
      const answer = await this.#send(method, at, call)
      if (answer instanceof AppError || answer.status >= 500) {
        const pause = retrySeconds[failures++]
        if (pause === undefined) {
          throw answer instanceof AppError ? answer : toPlatformRefusal(answer.status, baseUrl, words)
        }
        await sleep(pause * 1_000, call.signal)
        continue
      }
      const asked = waitAsked(answer, now() + this.#clockAheadMs)
      const seconds =
        asked === undefined
          ? (waitAfter(answer, now() + this.#clockAheadMs) ?? 0)
          : Math.max(asked, MIN_WAIT_SECONDS * 2 ** limits++)
      if (seconds > 0) this.#closedUntil = Math.max(this.#closedUntil, now() + seconds * 1_000)
      if (asked !== undefined) continue
      const moved = REDIRECTING[method].includes(answer.status) ? this.#movedTo(answer, at) : undefined
      if (moved !== undefined) {
        if (++redirects > MOST_REDIRECTS) throw this.unreadable(`with more than ${MOST_REDIRECTS} redirects`)
        at = moved
        continue
      }
      const { status, headers, body } = answer
      const isFine = (status >= 200 && status < 300) || call.accepted?.includes(status)
      if (!isFine) throw toPlatformRefusal(status, baseUrl, words)
      return { status, headers, text: body.toString('utf8') }
    }
  }

  /** The path to which a redirect below the address of the API leads. The credential must not leave that address. */
  #movedTo({ headers: { location } }: HttpAnswer, path: string): string | undefined {
    if (location === undefined) return undefined
    const { origin, pathname } = new URL(this.options.baseUrl)
    const base = pathname === '/' ? '' : pathname
    const to = parseUrl(location, `${origin}${base}${path}`)
    if (to?.origin !== origin || !to.pathname.startsWith(`${base}/`)) return undefined
    return `${to.pathname.slice(base.length)}${to.search}`
  }

  /** @returns seconds. @throws AppError `unavailable/platform_rate_limited` if the total wait would be too long */
  async #waitUntilOpen(waited: number, signal: AbortSignal | undefined): Promise<number> {
    const { baseUrl, now, onWait, sleep } = this.options
    const { longestWaitSeconds, words } = this.policy
    const until = this.#closedUntil
    const seconds = (until - now()) / 1_000
    if (seconds <= 0) return 0
    if (waited + seconds > longestWaitSeconds) throw rateLimited(seconds, baseUrl, words)
    onWait?.(seconds)
    await sleep(Math.ceil(seconds * 1_000), signal)
    if (this.#closedUntil === until) this.#closedUntil = 0
    return seconds
  }

  /** @returns the answer, or a connection failure after which another attempt makes sense */
  async #send(method: 'GET' | 'POST', path: string, call: PlatformCall): Promise<HttpAnswer | AppError> {
    const { baseUrl, headers: given, now } = this.options
    const headers = typeof given === 'function' ? given() : given
    try {
      const answer = await exchange(
        { baseUrl },
        {
          method,
          path,
          headers: { ...headers, ...call.headers },
          agent: this.#agent,
          signal: call.signal,
          idleSeconds: IDLE_SECONDS,
          totalSeconds: TOTAL_SECONDS,
          maxAnswerBytes: MAX_ANSWER_BYTES,
        },
      )
      const date = Date.parse(answer.headers.date ?? '')
      if (!Number.isNaN(date)) this.#clockAheadMs = date - now()
      return answer
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error
      const failure = toPlatformFailure(error, baseUrl, this.policy.words)
      if (error.kind === 'too_large' || error.kind === 'not_http') throw failure
      return failure
    }
  }
}

/** The address of a link in a `Link` header. Source: RFC 8288. */
export function linkOf({ headers }: Pick<PlatformAnswer, 'headers'>, relation: string): string | undefined {
  const links = String(headers.link ?? '').split(',')
  const link = links.find(text => text.includes(`rel="${relation}"`) || text.includes(`rel=${relation}`))
  return link?.slice(link.indexOf('<') + 1, link.indexOf('>'))
}
