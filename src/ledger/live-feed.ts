import type { StoredEvent } from '../model/events/event.js'
import { type EventFilter, eventMatches, textsOf, withoutTexts } from '../model/events/event-match.js'

interface Listener {
  filter: EventFilter
  /** How many terms are compared with the texts of an event. */
  terms: number
  /** The filter without them. */
  withoutTexts: EventFilter
  /** Keys under which it is listed: its patterns of kinds, or `*`. */
  kinds: readonly string[]
  wake: () => void
}

type Listeners = Map<string, Set<Listener>>

const EVERY_KIND = '*'

/**
 * Events are compared on the thread that answers every request. So their texts are compared with the terms of a reader
 * that has at most so many, and, for the events of one commit, as long as all readers together have compared at most so
 * many characters. Without the comparison, a reader may be woken needlessly: it reads the ledger once more and finds nothing.
 */
const COMPARED = { terms: 16, characters: 8_000_000 }

/**
 * Pause after readers were woken, for each of them: until it ends, no other reader is woken. A reader costs about 0.05
 * ms to read and to write, so all of them together take at most a twentieth of the thread. After a single reader, the
 * pause is 1 ms.
 */
const PAUSE_MS_A_READER = 1
const LONGEST_PAUSE_MS = 250

/** An event that has just been committed. */
export interface FreshEvent {
  kind: string
  /** False where the payload is too large to be kept in memory. */
  isWhole: boolean
  /** Called only if a reader waits for its kind. */
  toStored: () => StoredEvent
}

/**
 * Wakes readers that wait for new events. It carries no events: a woken reader reads the ledger from its own
 * checkpoint, so nothing is lost between two reads and no backlog is kept for a slow reader.
 */
export class LiveFeed {
  /**
   * Listeners by the patterns of kinds that they wait for: an event is compared only with those that may wait for its
   * kind.
   */
  readonly #byKind: Listeners = new Map()
  /** Readers to wake after the pause; undefined while there is none. */
  #afterPause: Set<Listener> | undefined

  /** @param after runs a function after this many milliseconds */
  constructor(
    private readonly after: (ms: number, run: () => void) => void = (ms, run) => setTimeout(run, ms).unref(),
  ) {}

  get hasListeners(): boolean {
    return this.#byKind.size > 0
  }

  /**
   * Wakes every reader whose filter matches one of these freshly committed events. Where many are woken and events come
   * fast, they are woken together after a pause, so that readers leave time for other requests.
   */
  publish(events: readonly FreshEvent[]): void {
    const matching = this.#afterPause ?? new Set()
    let left = COMPARED.characters
    for (const { kind, isWhole, toStored } of events) {
      let event: ComparedEvent | undefined
      for (const pattern of patternsOf(kind)) {
        for (const listener of this.#byKind.get(pattern) ?? []) {
          if (matching.has(listener)) continue
          event ??= new ComparedEvent(toStored())
          if (!event.matches(listener.withoutTexts)) continue
          const { terms } = listener
          const cost = terms > 0 && terms <= COMPARED.terms && isWhole ? terms * event.size : 0
          const isCompared = cost > 0 && cost <= left
          if (isCompared) left -= cost
          if (!isCompared || event.matches(listener.filter)) matching.add(listener)
        }
      }
    }
    if (!this.#afterPause) this.#wake(matching)
  }

  /** Wakes every reader, if necessary after the pause. */
  wakeAll(): void {
    const all = this.#afterPause ?? new Set()
    for (const listeners of this.#byKind.values()) for (const listener of listeners) all.add(listener)
    if (!this.#afterPause) this.#wake(all)
  }

  #wake(listeners: ReadonlySet<Listener>): void {
    for (const { wake } of listeners) wake()
    this.#afterPause = undefined
    if (listeners.size === 0) return
    const next = new Set<Listener>()
    this.#afterPause = next
    const pauseMs = Math.min(LONGEST_PAUSE_MS, listeners.size * PAUSE_MS_A_READER)
    this.after(pauseMs, () => this.#wake(next))
  }

  /** Listens from now on. Call it before the read that finds nothing. */
  listen(filter: EventFilter): Waiting {
    return new Waiting(filter, this.#byKind)
  }
}

/** Every pattern that this kind matches: for `a.b.c` itself, `a.*`, `a.b.*` and `*`. */
function* patternsOf(kind: string): Generator<string> {
  yield kind
  yield EVERY_KIND
  for (let dot = kind.indexOf('.'); dot !== -1; dot = kind.indexOf('.', dot + 1)) yield `${kind.slice(0, dot)}.*`
}

/** An event that is compared with the filters of many readers. */
class ComparedEvent {
  readonly #texts: () => readonly string[]
  #size: number | undefined

  constructor(private readonly event: StoredEvent) {
    this.#texts = textsOf(event)
  }

  /** Characters of its texts; at least 1. */
  get size(): number {
    this.#size ??= this.#texts().reduce((sum, text) => sum + text.length, 1)
    return this.#size
  }

  matches(filter: EventFilter): boolean {
    return eventMatches(this.event, filter, this.#texts)
  }
}

/** One waiting reader. Wakings while it does not wait count as one. */
class Waiting {
  #woken = false
  #resume: (() => void) | undefined
  readonly #listener: Listener

  constructor(
    filter: EventFilter,
    private readonly byKind: Listeners,
  ) {
    const kinds = filter.kinds ?? [EVERY_KIND]
    const terms = [filter.search ?? [], ...(filter.excluded?.searches ?? [])].flat().length
    this.#listener = { filter, terms, withoutTexts: withoutTexts(filter), kinds, wake: () => this.#wake() }
    for (const kind of kinds) {
      const alike = byKind.get(kind) ?? new Set()
      byKind.set(kind, alike.add(this.#listener))
    }
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
    for (const kind of this.#listener.kinds) {
      const alike = this.byKind.get(kind)
      alike?.delete(this.#listener)
      if (alike?.size === 0) this.byKind.delete(kind)
    }
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
