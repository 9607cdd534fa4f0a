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

  /** Changes only what is known already: a move outside of watched places may concern thousands of old messages. */
  move(ids: readonly number[], place: StreamPlace): void {
    for (const id of ids) if (this.#places.has(id)) this.put(id, place)
  }

  find(id: number): StreamPlace | null | undefined {
    const place = this.#places.get(id)
    if (place !== undefined) this.put(id, place)
    return place
  }
}
