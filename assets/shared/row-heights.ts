/** Where the rows of a long list stand, of which only those that were seen have been measured. */
export class RowHeights {
  readonly #measured = new Map<string, number>()
  #keys: readonly string[] = []
  /** The top of each row, and at last the end of all. Stale from `#cleanTo` on. */
  #tops = new Float64Array(1)
  #cleanTo = 0
  #indexOf: Map<string, number> | undefined

  /** @param estimate pixels of a row that was not measured yet */
  constructor(private readonly estimate: (key: string) => number) {}

  get total(): number {
    return this.topOf(this.#keys.length)
  }

  /** The rows from now on; what was measured of those that stay holds. */
  setRows(keys: readonly string[]): void {
    this.#keys = keys
    this.#tops = new Float64Array(keys.length + 1)
    this.#cleanTo = 0
    this.#indexOf = undefined
  }

  /** @returns whether it was another height before */
  measure(key: string, height: number): boolean {
    if (this.#measured.get(key) === height) return false
    this.#measured.set(key, height)
    this.#cleanTo = Math.min(this.#cleanTo, this.indexOf(key) ?? this.#cleanTo)
    return true
  }

  /** All is to be measured anew: rows have another width. */
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

  /** The row that covers this height, the last one beyond the end. */
  indexAt(top: number): number {
    let [low, high] = [0, Math.max(0, this.#keys.length - 1)]
    // Brings all tops up to date once, in place of in every step.
    if (this.total <= top) return high
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.topOf(middle) <= top) low = middle
      else high = middle - 1
    }
    return low
  }
}
