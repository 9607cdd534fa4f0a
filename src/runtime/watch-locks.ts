import { AppError } from '../model/app-error.js'

/** How long to wait for somebody else who captures the same watch; then it is better to come back. */
const WAIT_MS = 10_000

/** One capture of a watch at a time, whoever asked for it. All captures are in the process that owns the ledger. */
export class WatchLocks {
  readonly #held = new Map<string, Promise<void>>()

  /** @throws AppError `unavailable/capture_running` when another capture of it goes on and on */
  async hold<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
    const deadline = performance.now() + WAIT_MS
    for (let other = this.#held.get(id); other; other = this.#held.get(id)) {
      if (!(await endsBy(deadline, other))) {
        const message = `Subscription "${id}" is being captured by somebody else. Try again later.`
        throw new AppError('unavailable', 'capture_running', message, { retryAfterSeconds: 60 })
      }
    }
    const result = work()
    const ended = result.then(forget, forget).then(() => {
      this.#held.delete(id)
    })
    this.#held.set(id, ended)
    await ended
    return result
  }
}

async function endsBy(deadline: number, other: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<boolean>(resolve => {
    timer = setTimeout(resolve, Math.max(0, deadline - performance.now()), false)
  })
  try {
    return await Promise.race([other.then(() => true), tooLate])
  } finally {
    clearTimeout(timer)
  }
}

function forget(): void {}
