/** Each step yields an integer below this. */
const RANGE = 2 ** 32

/**
 * Pseudorandom numbers from a seed: two demos with the same seed are equal. Not for secrets.
 *
 * Source: "mulberry32", a public-domain generator with 32 bits of state.
 */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A number from 0, below 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / RANGE
  }

  /** An integer from the first to the last, both included. */
  integer(first: number, last: number): number {
    return first + Math.floor(this.fraction() * (last - first + 1))
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.integer(0, items.length - 1)]
    if (item === undefined) throw new Error('There is nothing to pick from.')
    return item
  }

  /** `count` different items, or all of them, in random order. */
  several<Item>(items: readonly Item[], count: number): Item[] {
    const left = [...items]
    const picked: Item[] = []
    while (picked.length < count && left.length > 0) picked.push(...left.splice(this.integer(0, left.length - 1), 1))
    return picked
  }

  hex(digits: number): string {
    let text = ''
    while (text.length < digits)
      text += this.integer(0, RANGE - 1)
        .toString(16)
        .padStart(8, '0')
    return text.slice(0, digits)
  }

  /** A text in the form of a UUID. */
  uuid(): string {
    return [8, 4, 4, 4, 12].map(digits => this.hex(digits)).join('-')
  }
}
