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

/**
 * After readers were woken, how long the next ones wait, for each reader that listens. One costs about 0.05 ms to read
 * and to write, so all of them together take no more than a twentieth of the thread. One alone waits for 1 ms.
 */
const PAUSE_MS_A_READER = 1
const LONGEST_PAUSE_MS = 250

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
  /** Readers to wake after the pause; undefined while there is none. */
  #afterPause: Set<Listener> | undefined

  /** @param after runs it after so many milliseconds */
  constructor(
    private readonly after: (ms: number, run: () => void) => void = (ms, run) => setTimeout(run, ms).unref(),
  ) {}

  get hasListeners(): boolean {
    return this.#listeners.size > 0
  }

  /**
   * Wakes every reader whose filter matches one of these freshly committed events. Where many listen and events come
   * fast, they are woken together after a pause, so that readers leave time for other requests.
   */
  publish(events: readonly FreshEvent[]): void {
    const matching: Listener[] = []
    for (const listener of this.#listeners) {
      if (this.#afterPause?.has(listener)) continue
      if (events.some(fresh => mayMatch(fresh, listener.filter))) matching.push(listener)
    }
    if (!this.#afterPause) this.#wake(matching)
    else for (const listener of matching) this.#afterPause.add(listener)
  }

  /** Wakes every reader, or will after the pause. */
  wakeAll(): void {
    if (!this.#afterPause) this.#wake([...this.#listeners])
    else for (const listener of this.#listeners) this.#afterPause.add(listener)
  }

  #wake(listeners: Iterable<Listener>): void {
    let woken = 0
    for (const { wake } of listeners) {
      wake()
      woken++
    }
    this.#afterPause = undefined
    if (woken === 0) return
    const next = new Set<Listener>()
    this.#afterPause = next
    const pauseMs = Math.min(LONGEST_PAUSE_MS, this.#listeners.size * PAUSE_MS_A_READER)
    this.after(pauseMs, () => this.#wake(next))
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
