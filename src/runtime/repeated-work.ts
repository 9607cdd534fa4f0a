import { setTimeout as sleep } from 'node:timers/promises'

/** Does a turn of the work. @returns how long to wait before the next one, in milliseconds. It must not reject. */
type Turn = (signal: AbortSignal) => Promise<number>

/** Work that a server repeats until it is stopped, one turn at a time. */
export class RepeatedWork {
  readonly #stop = new AbortController()
  readonly #ended: Promise<void>

  /** Starts immediately. @param firstMs how long to wait before the first turn */
  constructor(turn: Turn, firstMs = 0) {
    this.#ended = this.#repeat(turn, firstMs)
  }

  /** Aborts the turn, and resolves at its end. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#ended
  }

  async #repeat(turn: Turn, firstMs: number): Promise<void> {
    const { signal } = this.#stop
    const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined) // aborted by `stop`
    if (firstMs > 0) await pause(firstMs)
    while (!signal.aborted) await pause(await turn(signal))
  }
}
