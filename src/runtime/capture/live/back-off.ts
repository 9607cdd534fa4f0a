/** Seconds. */
const FIRST = 1
const LONGEST = 60

/** Waits that double with each failure, with jitter, so that several programs do not return to a server together. */
export class BackOff {
  #failures = 0

  /** @param random from 0 to 1 */
  constructor(private readonly random: () => number) {}

  reset(): void {
    this.#failures = 0
  }

  /** @param leastSeconds that the server asked for. @returns milliseconds */
  next(leastSeconds = 0): number {
    const seconds = Math.min(FIRST * 2 ** this.#failures, LONGEST)
    this.#failures++
    return Math.max(leastSeconds, seconds * (0.5 + this.random() / 2)) * 1000
  }
}
