import type { Agent } from 'node:http'
import { exchange, type HttpAnswer } from '../../http/exchange.js'
import { HttpFailure } from '../../http/http-failure.js'
import type { AppError } from '../../model/app-error.js'
import { rateLimitWait } from './rate-limit.js'
import { answerUnreadable, rateLimited, toHistoryFailure, toHistoryRefusal } from './refusals.js'

const IDLE_SECONDS = 30
const TOTAL_SECONDS = 120
/** A hundred items with the largest texts that the platforms accept. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
/** GitHub opens its hourly allowance again within an hour. */
const LONGEST_WAIT_SECONDS = 3_660
/** Pauses before a request that failed is sent again. */
const RETRY_SECONDS = [1, 3, 10]
/** Requests at the same time. */
const MOST_REQUESTS = 4

export interface HistoryApiOptions {
  /** Address of the API, without a trailing slash; may have a path. */
  baseUrl: string
  /** With the credential, if there is one. */
  headers: Readonly<Record<string, string>>
  /** @throws the signal's reason once it is aborted */
  sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>
  /** Epoch milliseconds. */
  now: () => number
  /** Called before each wait that the platform asks for. */
  onWait?: ((seconds: number) => void) | undefined
  signal?: AbortSignal | undefined
}

/** A list as the platform pages it. */
export interface ListPage {
  items: unknown[]
  /** Path of the next page, below the address of the API. */
  next?: string | undefined
  /** Number of the last page, if the platform names it. */
  lastPage?: number | undefined
}

/**
 * Reads the REST API of a platform: at most four requests at a time over kept connections, without following redirects.
 * Waits as long as the platform asks, and tries three times again after a failure of the server or of the connection.
 *
 * Every method may throw AppError `unavailable/platform_…`, `unauthenticated/platform_credentials_refused`,
 * `forbidden/platform_not_permitted`, `not_found/platform_place_unknown`; the signal's reason once it is aborted.
 */
export class HistoryApi {
  readonly #agent: Agent
  readonly #basePath: string
  /** Epoch milliseconds: the platform refuses requests before. */
  #closedUntil = 0
  #running = 0
  readonly #queue: (() => void)[] = []

  constructor(private readonly options: HistoryApiOptions) {
    const { protocol, pathname } = new URL(options.baseUrl)
    const http = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http')
    this.#agent = new http.Agent({ keepAlive: true, maxSockets: MOST_REQUESTS })
    this.#basePath = pathname === '/' ? '' : pathname
  }

  async object(path: string, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
    return parse(await this.#get(path, headers), this.options.baseUrl)
  }

  /** @throws also AppError `unavailable/platform_answer_unreadable` if the answer is no list */
  async list(path: string, headers: Readonly<Record<string, string>> = {}): Promise<ListPage> {
    const { baseUrl } = this.options
    const answer = await this.#get(path, headers)
    const items = parse(answer, baseUrl)
    if (!Array.isArray(items)) throw answerUnreadable(baseUrl, 'not with a list')
    const links = String(answer.headers.link ?? '')
    const next = this.#pathOf(linkOf(links, 'next'))
    if (next === path) throw answerUnreadable(baseUrl, 'with a list that leads back to itself')
    return { items, next, lastPage: lastPageOf(answer, links) }
  }

  /** Closes the connections. */
  close(): void {
    this.#agent.destroy()
  }

  /** Only the path of a link counts, so that the credential stays with the server that it is for. */
  #pathOf(link: string | undefined): string | undefined {
    if (link === undefined || !URL.canParse(link, this.options.baseUrl)) return undefined
    const { pathname, search } = new URL(link, this.options.baseUrl)
    if (!pathname.startsWith(`${this.#basePath}/`)) return undefined
    return `${pathname.slice(this.#basePath.length)}${search}`
  }

  async #get(path: string, headers: Readonly<Record<string, string>>): Promise<HttpAnswer> {
    if (this.#running >= MOST_REQUESTS) await new Promise<void>(resolve => this.#queue.push(resolve))
    else this.#running++
    try {
      return await this.#attempts(path, headers)
    } finally {
      const next = this.#queue.shift()
      if (next) next()
      else this.#running--
    }
  }

  async #attempts(path: string, headers: Readonly<Record<string, string>>): Promise<HttpAnswer> {
    const { baseUrl, now, sleep, signal } = this.options
    let waited = 0
    for (let failures = 0; ; ) {
      waited += await this.#waitUntilOpen(waited)
      const answer = await this.#send(path, headers)
      if (!('status' in answer) || answer.status >= 500) {
        const pause = RETRY_SECONDS[failures++]
        if (pause === undefined) throw 'status' in answer ? toHistoryRefusal(answer.status, baseUrl) : answer
        await sleep(pause * 1_000, signal)
        continue
      }
      const wait = rateLimitWait(answer, now())
      if (wait.seconds > 0) this.#closedUntil = Math.max(this.#closedUntil, now() + wait.seconds * 1_000)
      if (wait.isRefused) continue
      if (answer.status !== 200) throw toHistoryRefusal(answer.status, baseUrl)
      return answer
    }
  }

  /** @returns seconds */
  async #waitUntilOpen(waited: number): Promise<number> {
    const { baseUrl, now, onWait, sleep, signal } = this.options
    const seconds = Math.max(0, (this.#closedUntil - now()) / 1_000)
    if (seconds === 0) return 0
    if (waited + seconds > LONGEST_WAIT_SECONDS) throw rateLimited(baseUrl, seconds)
    onWait?.(seconds)
    await sleep(Math.ceil(seconds * 1_000), signal)
    return seconds
  }

  /** @returns the failure of a connection, after which another attempt makes sense */
  async #send(path: string, headers: Readonly<Record<string, string>>): Promise<HttpAnswer | AppError> {
    const { baseUrl, headers: shared, signal } = this.options
    try {
      return await exchange(
        { baseUrl },
        {
          ...{ method: 'GET', path, headers: { ...shared, ...headers }, agent: this.#agent, signal },
          ...{ idleSeconds: IDLE_SECONDS, totalSeconds: TOTAL_SECONDS, maxAnswerBytes: MAX_ANSWER_BYTES },
        },
      )
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error
      const failure = toHistoryFailure(error, baseUrl)
      if (error.trouble === 'too_large' || error.trouble === 'not_http') throw failure
      return failure
    }
  }
}

function parse({ body }: HttpAnswer, baseUrl: string): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw answerUnreadable(baseUrl, 'not with JSON')
  }
}

/** Source: RFC 8288, "Link". */
function linkOf(links: string, relation: string): string | undefined {
  const link = links.split(',').find(link => [`rel="${relation}"`, `rel=${relation}`].some(text => link.includes(text)))
  return link?.slice(link.indexOf('<') + 1, link.indexOf('>'))
}

/** GitHub and Gitea name it in a link, GitLab in a header. */
function lastPageOf({ headers }: HttpAnswer, links: string): number | undefined {
  const last = /[?&]page=(\d{1,9})/u.exec(linkOf(links, 'last') ?? '')?.[1] ?? headers['x-total-pages']
  const page = Number(last)
  return Number.isInteger(page) && page > 0 ? page : undefined
}
