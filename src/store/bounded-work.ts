import { AppError } from '../model/app-error.js'

export interface WorkLimits {
  /** How many may be in progress together. */
  inProgress: number
  /** How many may wait for one of those to end. */
  waiting: number
  /** The message that refuses one more. */
  busy: string
}

/** Bounds how much work is in progress together. Further work waits in order; work that is aborted while it waits never begins. */
export class BoundedWork {
  #inProgress = 0
  /** Not a Set: V8 does not clear the old hash table of one that grows, so it keeps work alive that is done. */
  readonly #waiting: (() => void)[] = []

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

  #begin<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#inProgress++
    const result = work()
    result.then(this.#beginNext, this.#beginNext)
    return result
  }

  readonly #beginNext = () => {
    this.#inProgress--
    this.#waiting.shift()?.()
  }
}
