/** Positions of the rows of a long list, of which only rows seen so far have been measured. */
export class RowHeights {
  readonly #measured = new Map<string, number>()
  #keys: readonly string[] = []
  /** The top of each row, then the end of all. Stale from `#cleanTo` on. */
  #tops = new Float64Array(1)
  #cleanTo = 0
  #indexOf: Map<string, number> | undefined

  /** @param estimate pixels of an unmeasured row */
  constructor(private readonly estimate: (key: string) => number) {}

  get total(): number {
    return this.topOf(this.#keys.length)
  }

  /** Replaces the rows; measured heights of remaining ones stay. */
  setRows(keys: readonly string[]): void {
    this.#keys = keys
    this.#tops = new Float64Array(keys.length + 1)
    this.#cleanTo = 0
    this.#indexOf = undefined
  }

  /** @returns whether the height has changed */
  measure(key: string, height: number): boolean {
    if (this.#measured.get(key) === height) return false
    this.#measured.set(key, height)
    this.#cleanTo = Math.min(this.#cleanTo, this.indexOf(key) ?? this.#cleanTo)
    return true
  }

  /** Discards all measurements, because the rows' width has changed. */
  forget(): void {
    this.#measured.clear()
    this.#cleanTo = 0
  }

  indexOf(key: string): number | undefined {
    this.#indexOf ??= new Map(this.#keys.map((key, index) => [key, index]))
    return this.#indexOf.get(key)
  }

  topOf(index: number): number {
    const last = Math.min(index, this.#keys.length)
    for (; this.#cleanTo < last; this.#cleanTo++) {
      const key = this.#keys[this.#cleanTo] ?? ''
      const height = this.#measured.get(key) ?? this.estimate(key)
      this.#tops[this.#cleanTo + 1] = (this.#tops[this.#cleanTo] ?? 0) + height
    }
    return this.#tops[last] ?? 0
  }

  /** The row at this height, or the last one if beyond the end. */
  indexAt(top: number): number {
    let [low, high] = [0, Math.max(0, this.#keys.length - 1)]
    // Updates all tops once instead of at every step.
    if (this.total <= top) return high
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.topOf(middle) <= top) low = middle
      else high = middle - 1
    }
    return low
  }
}
