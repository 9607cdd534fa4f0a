/** Readers of the quick lane give up early, and leave the feed to the slow lane. */
export type FeedLane = 'quick' | 'slow'

/** A feed that is due. */
export interface DueFeed {
  name: string
  /** Host of its address. */
  host: string
}

/**
 * Feeds that are due, in two lanes, so that slow feeds do not delay the others. A feed that takes too long for the
 * quick lane moves to the slow lane, and returns after a quick reading. In each lane, one feed of a host is read at a
 * time.
 *
 * Source: docs/decisions/0088.
 */
export class FeedQueue {
  readonly #waiting: Record<FeedLane, DueFeed[]> = { quick: [], slow: [] }
  /** Names of feeds that wait or are being read. */
  readonly #known = new Set<string>()
  /** Hosts of feeds that are being read. */
  readonly #busy: Record<FeedLane, Set<string>> = { quick: new Set(), slow: new Set() }
  /** Names of feeds that were slow. Bounded by the number of sources. */
  readonly #slow = new Set<string>()

  /** Does nothing if the feed already waits or is being read. */
  add(feed: DueFeed): void {
    if (this.#known.has(feed.name)) return
    this.#known.add(feed.name)
    this.#waiting[this.#slow.has(feed.name) ? 'slow' : 'quick'].push(feed)
  }

  /**
   * Takes the first feed whose host has no feed being read in this lane. The caller ends with `release` or
   * `moveToSlow`.
   */
  take(lane: FeedLane): DueFeed | undefined {
    const waiting = this.#waiting[lane]
    const at = waiting.findIndex(({ host }) => !this.#busy[lane].has(host))
    const [feed] = at === -1 ? [] : waiting.splice(at, 1)
    if (feed) this.#busy[lane].add(feed.host)
    return feed
  }

  /** @param isSlow the feed waits in the slow lane the next time */
  release(lane: FeedLane, { name, host }: DueFeed, isSlow: boolean): void {
    this.#busy[lane].delete(host)
    this.#known.delete(name)
    if (isSlow) this.#slow.add(name)
    else this.#slow.delete(name)
  }

  /** Moves a feed that took too long out of the quick lane. */
  moveToSlow(feed: DueFeed): void {
    this.release('quick', feed, true)
    this.add(feed)
  }

  /** Forgets feeds that no longer exist. */
  keep(names: ReadonlySet<string>): void {
    for (const name of this.#slow) if (!names.has(name)) this.#slow.delete(name)
  }
}
