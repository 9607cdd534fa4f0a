import type { StreamPlace } from '../place.js'

/** Ids and names: some hundred bytes each. */
const MOST = 10_000

/** Where recent messages are. Reactions and edits name only the message. Bounded: the least recently used are forgotten. */
export class MessagePlaces {
  /** Null for a message that is in no stream that the account sees. */
  readonly #places = new Map<number, StreamPlace | null>()

  put(id: number, place: StreamPlace | null): void {
    this.#places.delete(id)
    this.#places.set(id, place)
    if (this.#places.size <= MOST) return
    const [oldest] = this.#places.keys()
    if (oldest !== undefined) this.#places.delete(oldest)
  }

  /**
   * A move outside of watched places may concern thousands of old messages.
   *
   * @param isWatched false: changes only what is known already
   * @returns takes it back
   */
  move(ids: readonly number[], place: StreamPlace, isWatched: boolean): () => void {
    const moved = ids.filter(id => isWatched || this.#places.has(id)).map(id => [id, this.#places.get(id)] as const)
    for (const [id] of moved) this.put(id, place)
    return () => {
      for (const [id, before] of moved) {
        if (before === undefined) this.#places.delete(id)
        else this.put(id, before)
      }
    }
  }

  find(id: number): StreamPlace | null | undefined {
    const place = this.#places.get(id)
    if (place !== undefined) this.put(id, place)
    return place
  }
}
