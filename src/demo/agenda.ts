import type { Micros } from '../model/timestamp.js'
import type { Random } from './random.js'

interface Entry<Item> {
  at: Micros
  item: Item
}

/** A queue of items by time. Items of the same time stay in the order in which they were added. */
export class Agenda<Item> {
  /** In reverse order, because removing from the end of an array is cheap. */
  readonly #entries: Entry<Item>[] = []

  /** Time of the next item. */
  get nextAt(): Micros | undefined {
    return this.#entries.at(-1)?.at
  }

  add(at: Micros, item: Item): void {
    this.#entries.splice(this.#placeOf(at), 0, { at, item })
  }

  takeNext(): Entry<Item> | undefined {
    return this.#entries.pop()
  }

  /** Removes a random item, regardless of its time. */
  takeAny(random: Random): Entry<Item> | undefined {
    return this.#entries.splice(random.integer(0, this.#entries.length - 1), 1)[0]
  }

  /** The index before all items of the same or an earlier time. */
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
