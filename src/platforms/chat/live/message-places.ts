import type { StreamPlace } from '../place.js'

/** An entry takes some hundred bytes of ids and names. */
const MOST = 10_000

/** The places of recent messages, for events that name only a message. Forgets the least recently used. */
export class MessagePlaces {
  /** Null for a message in no stream that the account can see. */
  readonly #places = new Map<number, StreamPlace | null>()

  put(id: number, place: StreamPlace | null): void {
    this.#places.delete(id)
    this.#places.set(id, place)
    if (this.#places.size <= MOST) return
    const [oldest] = this.#places.keys()
    if (oldest !== undefined) this.#places.delete(oldest)
  }

  /**
   * Records a move. Outside of watched places, it may concern thousands of old messages.
   *
   * @param isWatched false: changes only known messages
   * @returns a function that reverts this
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
