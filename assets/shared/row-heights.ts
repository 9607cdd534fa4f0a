export class RowHeights {
  /** The top of each row, then the end of all. */
  readonly #tops: Float64Array

  /** @param heights of the rows in order. Pixels. */
  constructor(heights: readonly number[]) {
    this.#tops = new Float64Array(heights.length + 1)
    heights.forEach((height, at) => {
      this.#tops[at + 1] = (this.#tops[at] ?? 0) + height
    })
  }

  get total(): number {
    return this.topOf(this.#tops.length)
  }

  /** Top of a row; for an index beyond the last row, the bottom of the list. */
  topOf(index: number): number {
    return this.#tops[Math.min(index, this.#tops.length - 1)] ?? 0
  }

  /** The row at this height, or the first or last one if beyond the ends. */
  indexAt(top: number): number {
    let [low, high] = [0, Math.max(0, this.#tops.length - 2)]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.topOf(middle) <= top) low = middle
      else high = middle - 1
    }
    return low
  }
}
