/** Numbers that look random and are the same for the same seed: evenly spread, 0 included, 1 not. */
export type Random = () => number

/** The value of DAYBOOK_TEST_SEED, with which a failed run can be repeated as closely as timing allows. */
export const SEED = Number(process.env.DAYBOOK_TEST_SEED ?? 20_310_504)

/** Source: Tommy Ettinger's mulberry32. */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A whole number from `least` to `most`, both included. */
export function wholeNumber(random: Random, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1))
}

export function pick<Item>(random: Random, items: readonly Item[]): Item | undefined {
  return items[Math.floor(random() * items.length)]
}
