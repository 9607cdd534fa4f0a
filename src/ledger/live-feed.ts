import type { StoredEvent } from '../model/event.js'
import { type EventFilter, eventMatches } from '../model/event-match.js'

interface Listener {
  filter: EventFilter
  wake: () => void
}

/** An event that has just been committed. */
export interface FreshEvent {
  event: StoredEvent
  /** False where its payload is too large to be at hand. */
  isWhole: boolean
}

/**
 * Wakes the readers that wait for news. It carries no events: a reader that wakes reads the ledger from its own
 * checkpoint, so nothing is lost between two looks, and nothing is kept for a reader that is slow.
 */
export class LiveFeed {
  readonly #listeners = new Set<Listener>()

  get hasListeners(): boolean {
    return this.#listeners.size > 0
  }

  /** Wakes everybody whose filter one of these freshly committed events passes. */
  publish(events: readonly FreshEvent[]): void {
    for (const { filter, wake } of this.#listeners) {
      if (events.some(fresh => mayMatch(fresh, filter))) wake()
    }
  }

  /** Listens from now on. Begin before the look at the ledger that finds nothing. */
  listen(filter: EventFilter): Waiting {
    return new Waiting(filter, this.#listeners)
  }
}

/** Whoever searches the text of an event that is not at hand is woken to look. */
function mayMatch({ event, isWhole }: FreshEvent, filter: EventFilter): boolean {
  if (isWhole || filter.search === undefined) return eventMatches(event, filter)
  const { search: _, ...others } = filter
  return eventMatches(event, others)
}

/** One reader's ear. Wakings that come while nobody waits are remembered as one. */
class Waiting {
  #woken = false
  #resume: (() => void) | undefined
  readonly #listener: Listener

  constructor(
    filter: EventFilter,
    private readonly listeners: Set<Listener>,
  ) {
    this.#listener = { filter, wake: () => this.#wake() }
    listeners.add(this.#listener)
  }

  /** Resolves when something matched since the last call, when `milliseconds` are over, or when the signal aborts. */
  async next(signal: AbortSignal | undefined, milliseconds?: number): Promise<void> {
    if (!this.#woken && !signal?.aborted) {
      const { promise, resolve } = withResolvers()
      const timer = milliseconds === undefined ? undefined : setTimeout(resolve, milliseconds)
      signal?.addEventListener('abort', resolve)
      this.#resume = resolve
      await promise
      clearTimeout(timer)
      signal?.removeEventListener('abort', resolve)
      this.#resume = undefined
    }
    this.#woken = false
  }

  end(): void {
    this.listeners.delete(this.#listener)
  }

  #wake(): void {
    this.#woken = true
    this.#resume?.()
  }
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>(settle => {
    resolve = settle
  })
  return { promise, resolve }
}
