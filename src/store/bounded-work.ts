import { AppError } from '../model/app-error.js'

interface WorkLimits {
  /** Maximum number of calls in progress. */
  inProgress: number
  /** Maximum number of calls that wait for one of those to end. */
  waiting: number
  /** The message of the error for any further call. */
  busy: string
}

/**
 * Limits how many calls are in progress together. Further calls wait in order; a call that is aborted while it waits
 * never begins.
 */
export class BoundedWork {
  #inProgress = 0
  /** Not a Set: when a Set grows, V8 does not clear its old hash table, which keeps completed work alive. */
  readonly #waiting: (() => void)[] = []
  readonly #whenIdle: (() => void)[] = []

  constructor(private readonly limits: WorkLimits) {}

  /** @throws AppError `unavailable/busy`; the signal's reason when it aborts before the work begins */
  run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const { inProgress, waiting, busy } = this.limits
    if (this.#inProgress < inProgress) return this.#begin(work)
    if (this.#waiting.length >= waiting) {
      const hint = 'Try again in a moment.'
      return Promise.reject(new AppError('unavailable', 'busy', busy, { hint, retryAfterSeconds: 1 }))
    }
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal?.removeEventListener('abort', leave)
        this.#begin(work).then(resolve, reject)
      }
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1)
        reject(signal?.reason)
      }
      this.#waiting.push(begin)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  /** Resolves when no call is in progress or waits. */
  async finish(): Promise<void> {
    if (this.#inProgress > 0) await new Promise<void>(resolve => this.#whenIdle.push(resolve))
  }

  #begin<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#inProgress++
    const result = work()
    result.then(this.#beginNext, this.#beginNext)
    return result
  }

  readonly #beginNext = () => {
    this.#inProgress--
    this.#waiting.shift()?.()
    if (this.#inProgress === 0) for (const resolve of this.#whenIdle.splice(0)) resolve()
  }
}
