import type { Micros } from '../model/timestamp.js'
import type { Random } from './random.js'

interface Entry<Item> {
  at: Micros
  item: Item
}

/** What is to come, in the order of time; what was planned for one moment, in the order in which it was planned. */
export class Agenda<Item> {
  /** The last comes first, as an array gives that up easily. */
  readonly #entries: Entry<Item>[] = []

  /** When the next is planned. */
  get nextAt(): Micros | undefined {
    return this.#entries.at(-1)?.at
  }

  add(at: Micros, item: Item): void {
    this.#entries.splice(this.#placeOf(at), 0, { at, item })
  }

  takeNext(): Entry<Item> | undefined {
    return this.#entries.pop()
  }

  /** Any of them, however far away. */
  takeAny(random: Random): Entry<Item> | undefined {
    return this.#entries.splice(random.integer(0, this.#entries.length - 1), 1)[0]
  }

  /** In front of all that come at the same time or earlier. */
  #placeOf(at: Micros): number {
    let [low, high] = [0, this.#entries.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#entries[middle]?.at ?? 0) > at) low = middle + 1
      else high = middle
    }
    return low
  }
}
