import type { Agent } from 'node:http'
import { exchange, type HttpAnswer } from '../../http/exchange.js'
import { HttpFailure } from '../../http/http-failure.js'
import { AppError } from '../../model/app-error.js'
import { waitAfter, waitAsked } from './platform-wait.js'
import { toPlatformFailure, toPlatformRefusal } from './refusals.js'

const IDLE_SECONDS = 30
const TOTAL_SECONDS = 120
/** A page of twenty payloads of the largest size that is usual. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
/** Total time that one request waits because the platform asks for it. */
const LONGEST_WAIT_SECONDS = 60
/** Pauses before a request that failed is sent again. */
const RETRY_SECONDS = [1, 3]

export interface PlatformApiOptions {
  /** Scheme, host and port. */
  origin: string
  /** With the credential. */
  headers: Readonly<Record<string, string>>
  /** @throws the signal's reason once it is aborted */
  sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>
  /** Epoch milliseconds. */
  now: () => number
  /** Called before each wait that the platform asks for. */
  onWait?: ((seconds: number) => void) | undefined
}

export interface PlatformAnswer {
  status: number
  headers: HttpAnswer['headers']
  /** The JSON text. */
  text: string
}

/**
 * The API of a code host or forum over HTTP: one request at a time over one keep-alive connection. It follows no redirect,
 * waits as the platform asks up to a minute, and tries again twice after a failure of the server or the connection.
 */
export class PlatformApi {
  readonly #agent: Agent
  #clockAheadMs = 0
  /** Epoch milliseconds: the platform has said that it refuses requests before. */
  #closedUntil = 0

  constructor(private readonly options: PlatformApiOptions) {
    const { origin } = options
    const http = process.getBuiltinModule(origin.startsWith('https:') ? 'node:https' : 'node:http')
    this.#agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  }

  /**
   * @param accepted statuses that the caller handles, in addition to successes
   * @throws AppError as `DeliveriesList`
   */
  async call(
    method: 'GET' | 'POST',
    path: string,
    { accepted = [], signal }: { accepted?: readonly number[]; signal?: AbortSignal | undefined } = {},
  ): Promise<PlatformAnswer> {
    const { origin } = this.options
    let waited = await this.#waitUntilOpen(signal)
    for (let failures = 0; ; ) {
      const answer = await this.#send(method, path, signal)
      if (answer instanceof AppError || answer.status >= 500) {
        const pause = RETRY_SECONDS[failures++]
        if (pause === undefined) throw answer instanceof AppError ? answer : toPlatformRefusal(answer.status, origin)
        await this.options.sleep(pause * 1_000, signal)
        continue
      }
      const { status, headers, body } = answer
      const asked = waitAsked(answer, this.#platformNow())
      if (asked === undefined) {
        this.#noteRemaining(answer)
        const isFine = (status >= 200 && status < 300) || accepted.includes(status)
        if (!isFine) throw toPlatformRefusal(status, origin)
        return { status, headers, text: body.toString('utf8') }
      }
      waited += asked
      await this.#wait(asked, waited, signal)
    }
  }

  clockAheadMs(): number {
    return this.#clockAheadMs
  }

  /** Closes the connection. */
  close(): void {
    this.#agent.destroy()
  }

  /** @returns the failure of a connection, after which another attempt makes sense */
  async #send(method: 'GET' | 'POST', path: string, signal: AbortSignal | undefined): Promise<HttpAnswer | AppError> {
    const { origin, headers } = this.options
    try {
      const answer = await exchange(
        { baseUrl: origin },
        {
          ...{ method, path, headers, agent: this.#agent, signal },
          ...{ idleSeconds: IDLE_SECONDS, totalSeconds: TOTAL_SECONDS, maxAnswerBytes: MAX_ANSWER_BYTES },
        },
      )
      this.#noteClock(answer)
      return answer
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error
      const failure = toPlatformFailure(error, origin)
      if (error.trouble === 'too_large' || error.trouble === 'not_http') throw failure
      return failure
    }
  }

  #noteClock({ headers }: HttpAnswer): void {
    const date = Date.parse(headers.date ?? '')
    if (!Number.isNaN(date)) this.#clockAheadMs = date - this.options.now()
  }

  #platformNow(): number {
    return this.options.now() + this.#clockAheadMs
  }

  /** The next request would be refused: it waits instead. */
  #noteRemaining(answer: HttpAnswer): void {
    const seconds = waitAfter(answer, this.#platformNow())
    if (seconds !== undefined) this.#closedUntil = this.options.now() + seconds * 1_000
  }

  async #waitUntilOpen(signal: AbortSignal | undefined): Promise<number> {
    const seconds = (this.#closedUntil - this.options.now()) / 1_000
    if (seconds <= 0) return 0
    await this.#wait(seconds, seconds, signal)
    this.#closedUntil = 0
    return seconds
  }

  /** @throws AppError `unavailable/platform_rate_limited` where all waits of a request are too long */
  async #wait(seconds: number, total: number, signal: AbortSignal | undefined): Promise<void> {
    const { origin, onWait, sleep } = this.options
    if (total > LONGEST_WAIT_SECONDS) {
      const message = `${origin} limits requests, and asks to wait ${Math.ceil(seconds)} s. Run it again then.`
      throw new AppError('unavailable', 'platform_rate_limited', message, { retryAfterSeconds: seconds })
    }
    onWait?.(seconds)
    await sleep(Math.ceil(seconds * 1_000), signal)
  }
}
