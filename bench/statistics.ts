/** A list of durations, in milliseconds. */
export class Times {
  #values = new Float64Array(4_096)
  #count = 0

  get count(): number {
    return this.#count
  }

  add(ms: number): void {
    if (this.#count === this.#values.length) {
      const larger = new Float64Array(this.#count * 2)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.#count++] = ms
  }

  summary(): TimesSummary {
    const sorted = this.#values.slice(0, this.#count).sort()
    const at = (share: number) => sorted[Math.min(this.#count - 1, Math.floor(this.#count * share))] ?? 0
    return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) }
  }
}

/** Milliseconds. All are 0 if there were no times. */
export interface TimesSummary {
  p50: number
  p95: number
  p99: number
  max: number
}

/** @param values at least one */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}
