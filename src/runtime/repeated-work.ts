import { setTimeout as sleep } from 'node:timers/promises'

/** Does the work once. @returns how long to wait at most before the next one, in milliseconds. It must not reject. */
type Work = (signal: AbortSignal) => Promise<number>

/** A timer of Node.js that is set to a longer time ends immediately. */
const LONGEST_WAIT_MS = 2 ** 31 - 1

/** Work that a server repeats until it is stopped, once at a time. */
export class RepeatedWork {
  readonly #stop = new AbortController()
  readonly #ended: Promise<void>

  /** Starts immediately. @param firstMs how long to wait before the first time */
  constructor(work: Work, firstMs = 0) {
    this.#ended = this.#repeat(work, firstMs)
  }

  /** Aborts the work in progress, and resolves at its end. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#ended
  }

  async #repeat(work: Work, firstMs: number): Promise<void> {
    const { signal } = this.#stop
    // A rejection means that `stop` was called.
    const pause = (ms: number) => sleep(Math.min(ms, LONGEST_WAIT_MS), undefined, { signal }).catch(() => undefined)
    if (firstMs > 0) await pause(firstMs)
    while (!signal.aborted) await pause(await work(signal))
  }
}
