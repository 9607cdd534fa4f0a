/** Repeatable random numbers: the same seed gives the same sequence. The generator is mulberry32. */
export class Random {
  #state: number

  /** @param seed any integers; their order matters */
  constructor(...seed: readonly number[]) {
    this.#state = seed.reduce((state, part) => scramble(Math.imul(state, 31) + (part | 0)), 0x9e3779b9)
  }

  /** From 0 to below `count`. */
  below(count: number): number {
    return Math.floor(this.fraction() * count)
  }

  /** True in a share of all cases: `share`, 0 to 1. */
  happens(share: number): boolean {
    return this.fraction() < share
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item
  }

  /** From 0 to below 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    return scramble(this.#state) / 0x1_0000_0000
  }
}

function scramble(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 15), value | 1)
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
  return (mixed ^ (mixed >>> 14)) >>> 0
}

/** Draws from a list in which the item of rank n is drawn about 1/n as often as the first, as words are in a language. */
export class ZipfTable<Item> {
  readonly #ranks: Uint16Array

  /** @param items at most 65,536, the most frequent first */
  constructor(
    private readonly items: readonly Item[],
    slots = 1 << 17,
  ) {
    const weights = items.map((_, rank) => 1 / (rank + 3))
    const total = weights.reduce((sum, weight) => sum + weight, 0)
    this.#ranks = new Uint16Array(slots)
    let rank = 0
    let passed = weights[0] ?? 0
    for (let slot = 0; slot < slots; slot++) {
      while (passed / total < (slot + 0.5) / slots && rank < items.length - 1) passed += weights[++rank] ?? 0
      this.#ranks[slot] = rank
    }
  }

  draw(random: Random): Item {
    return this.items[this.#ranks[random.below(this.#ranks.length)] as number] as Item
  }
}
