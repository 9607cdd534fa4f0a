import { randomUUID } from 'node:crypto'
import { AppError } from '../model/app-error.js'
import {
  ERASURE_LIMITS,
  type ErasurePayload,
  type ErasureRequest,
  LEDGER_ROUTE,
  toErasureEntry,
} from '../model/events/erasure.js'
import type { StoredEvent } from '../model/events/event.js'
import { eventsOf, QUERY_LIMITS } from '../model/events/event-query.js'
import { type Micros, readTimestamp, toTimestamp } from '../model/timestamp.js'
import type { ContentRemoval, Erasure, RecordOutcome } from '../store/event-store.js'
import type { Store } from '../store/store.js'

/** Result of one step of an erasure. */
export interface ErasureStep {
  /** How many events. */
  erased: number
  /** Dedupe key of the event that records them; null if there were none. */
  entry: string | null
  /** Whether there are more events of the actor. */
  has_more: boolean
}

interface ErasureParts {
  store: Pick<Store, 'events' | 'removal'>
  /** The stored event. @throws AppError `not_found/not_found` */
  getEvent: (dedupeKey: string) => Promise<Uint8Array>
  /** Matches the entry with subscriptions, lets `remove` record it, and wakes the readers that wait. */
  record: (entry: ErasureEntry, remove: (entry: EntryToRecord) => Promise<RecordOutcome>) => Promise<RecordOutcome>
}

export type ErasureEntry = ReturnType<typeof toErasureEntry>
export type EntryToRecord = Pick<Erasure, 'entry' | 'matchedWith'>

/** Bytes of the events of one page: they are parsed on the thread that answers all requests. */
const PAGE_BYTES = 2 * 1024 * 1024

/** Removes the content of events, and records who did it and why. */
export class Erasures {
  constructor(private readonly parts: ErasureParts) {}

  /**
   * Erases the content of one event, or of some events of an actor. The entry names neither the actor nor the keys, as it can
   * never be erased: it has the `captured_at` of each event.
   *
   * @param by who erases
   * @throws AppError `not_found/not_found`, `conflict/already_erased`, `conflict/not_erasable`,
   *   `unavailable/…`
   *
   * Source: docs/decisions/0054.
   */
  async erase({ reason, dedupe_key, actor }: ErasureRequest, by: string): Promise<ErasureStep> {
    const { captured, hasMore } =
      actor === undefined
        ? { captured: [await this.#getErasable(dedupe_key ?? '')], hasMore: false }
        : await this.#listOfActor(actor)
    if (captured.length === 0) return { erased: 0, entry: null, has_more: false }
    const payload = { reason, by, count: captured.length, events: captured.map(toTimestamp) }
    const entry = await this.#record(payload, (removal, entry) => removal.erase({ events: captured, ...entry }))
    return { erased: captured.length, entry, has_more: hasMore }
  }

  /**
   * Removes the content of all events up to one.
   *
   * @param entries for archived events, see `Pruning`
   * @throws AppError `conflict/erased_meanwhile`, `unavailable/…`
   *
   * Source: docs/decisions/0055.
   */
  async prune(through: Micros, payload: ErasurePayload, entries?: number): Promise<void> {
    const covered = { ...payload, through: toTimestamp(through) }
    await this.#record(covered, (removal, entry) => removal.prune({ through, entries, ...entry }))
  }

  async #record(
    payload: ErasurePayload,
    remove: (removal: ContentRemoval, entry: EntryToRecord) => Promise<RecordOutcome>,
  ): Promise<string> {
    const { store, record } = this.parts
    const outcome = await record(toErasureEntry(randomUUID(), payload), entry => remove(store.removal, entry))
    return outcome.dedupeKey
  }

  async #getErasable(dedupeKey: string): Promise<Micros> {
    const event = JSON.parse(Buffer.from(await this.parts.getEvent(dedupeKey)).toString()) as StoredEvent
    if (event.erased) {
      const detail = `The event was erased at ${event.erased.at} already.`
      throw new AppError('conflict', 'already_erased', detail)
    }
    if (event.provenance.route === LEDGER_ROUTE) {
      throw new AppError('conflict', 'not_erasable', 'The event records an erasure, so it cannot be erased.')
    }
    return capturedAt(event)
  }

  /**
   * The oldest events of an actor, as many as one step erases. The filter by actor also matches display names, so the id is
   * compared again.
   */
  async #listOfActor(actor: string): Promise<{ captured: Micros[]; hasMore: boolean }> {
    const captured: Micros[] = []
    for (let since = 0; ; ) {
      const query = { actors: [actor], since, order: 'asc', limit: QUERY_LIMITS.limit, withoutPayload: true } as const
      const page = await this.parts.store.events.query({ ...query, maxBytes: PAGE_BYTES })
      for (const event of eventsOf(page)) {
        if (event.actor.id !== actor || event.provenance.route === LEDGER_ROUTE) continue
        if (captured.length === ERASURE_LIMITS.events) return { captured, hasMore: true }
        captured.push(capturedAt(event))
      }
      if (!page.hasMore || page.nextSince === null) return { captured, hasMore: false }
      since = page.nextSince
    }
  }
}

function capturedAt({ captured_at }: StoredEvent): Micros {
  return readTimestamp('captured_at', captured_at).micros
}
