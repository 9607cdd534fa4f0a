import type { StoredEvent } from '../model/events/event.js'
import { type EventFilter, eventMatches } from '../model/events/event-match.js'

interface Listener {
  filter: EventFilter
  wake: () => void
}

/**
 * Events are compared on the thread that answers every request, so only a few terms are compared. A reader woken in
 * vain reads the ledger once more and finds nothing.
 */
const COMPARED_TERMS = 16

/** An event that has just been committed. */
export interface FreshEvent {
  event: StoredEvent
  /** False where the payload is too large to be kept in memory. */
  isWhole: boolean
}

/**
 * Wakes readers that wait for new events. It carries no events: a woken reader reads the ledger from its own
 * checkpoint, so nothing is lost between two reads and no backlog is kept for a slow reader.
 */
export class LiveFeed {
  readonly #listeners = new Set<Listener>()

  get hasListeners(): boolean {
    return this.#listeners.size > 0
  }

  /** Wakes every reader whose filter matches one of these freshly committed events. */
  publish(events: readonly FreshEvent[]): void {
    for (const { filter, wake } of this.#listeners) {
      if (events.some(fresh => mayMatch(fresh, filter))) wake()
    }
  }

  /** Listens from now on. Call it before the read that finds nothing. */
  listen(filter: EventFilter): Waiting {
    return new Waiting(filter, this.#listeners)
  }
}

/** A text search is woken for every event whose text is not in memory. */
function mayMatch({ event, isWhole }: FreshEvent, filter: EventFilter): boolean {
  if (isWhole || filter.search === undefined) return eventMatches(event, filter)
  const { search: _, ...others } = filter
  return eventMatches(event, others)
}

/** One waiting reader. Wakings while it does not wait count as one. */
class Waiting {
  #woken = false
  #resume: (() => void) | undefined
  readonly #listener: Listener

  constructor(
    filter: EventFilter,
    private readonly listeners: Set<Listener>,
  ) {
    const search = filter.search?.slice(0, COMPARED_TERMS)
    this.#listener = { filter: search ? { ...filter, search } : filter, wake: () => this.#wake() }
    listeners.add(this.#listener)
  }

  /** Resolves when something matched since the last call, after `milliseconds`, or when the signal aborts. */
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
