import { AppError } from '../model/app-error.js'
import type { NewEvent, Provenance } from '../model/events/event.js'
import type { CaptureState } from '../model/subscriptions/subscription.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import {
  type EventToRecord,
  type Lease,
  type RecordOutcome,
  StaleMatches,
  type SubscriptionMatch,
} from '../store/event-store.js'
import type { Store } from '../store/store.js'
import type { EntryToRecord, ErasureEntry } from './erasures.js'
import type { KnownPeople } from './known-people.js'
import type { FreshEvent, LiveFeed } from './live-feed.js'
import type { Subscriptions } from './subscriptions.js'

/** One arrival of an event, with its provenance. */
export interface EventDelivery {
  event: NewEvent
  provenance: Provenance
  /** The whole event as JSON in UTF-8, if another thread has serialised it. Then `event.payload` is empty. */
  json?: Uint8Array | undefined
}

/** Some of the events that a capture read in a watched place, oldest first. */
export interface CapturedEvents {
  events: readonly NewEvent[]
  /** The server from which the events were read. */
  host: string
  /** Start of the capture that read these events. */
  attemptedAt: Micros
  /** Newest message id that the capture has read; `0` for none yet. */
  readTo: string
  /** Where the next capture starts to read again. */
  reread?: NonNullable<CaptureState['reread']> | undefined
  /** Where the place was found. */
  followed?: Record<string, unknown> | undefined
}

/** Events of a chat server's queue or of a poll, in their order. */
export interface LiveEvents {
  /** How they were read; absent: by capture, logged in to an account. */
  provenance?: Provenance
  events: readonly LiveEvent[]
  /** Changes of `capture` in watches that no event here is marked with. */
  notes: readonly { id: string; captured: CaptureState }[]
}

export interface LiveEvent {
  event: NewEvent
  /** The watches that it is marked with, even if it is a repeat. */
  marks: readonly LiveMark[]
}

export interface LiveMark {
  /** Id of the watch. */
  id: string
  /** The message that the event reports, if it is a new one. */
  cursor?: string
  /** Set on the watch's last event only: its new capture state. */
  captured?: CaptureState
  /** Lease on capturing it, if several servers may. */
  lease?: Lease | undefined
}

/** Events that this program read from the platform, logged in to an account. */
const CAPTURED: Provenance = { route: 'capture', verified: 'login' }
const NOTHING_READ = '0'
/** Maximum number of attempts to match events while other servers change subscriptions. */
const MOST_ATTEMPTS = 20

interface EventRecorderParts {
  store: Pick<Store, 'events'>
  clock: () => Micros
  subscriptions: Subscriptions
  people: KnownPeople
  feed: LiveFeed
}

/** Completes events, matches them with subscriptions, records them, and wakes the readers that wait. */
export class EventRecorder {
  constructor(private readonly parts: EventRecorderParts) {}

  /**
   * Records deliveries in one durable transaction, all or nothing; wakes the readers that wait. An event of the key
   * space `unverified` lists the subscriptions it matches but moves no cursor, because capture would then skip
   * messages.
   *
   * @throws AppError `unavailable/…` when the store cannot commit
   */
  record(deliveries: readonly EventDelivery[]): Promise<RecordOutcome[]> {
    const completed = deliveries.map(({ event, provenance, json }) => {
      // An event that is already serialised stays as it is.
      return { event: json === undefined ? this.parts.people.complete(event, provenance) : event, provenance, json }
    })
    return this.#record(now =>
      completed.map(({ event, provenance, json }) => {
        return { event, provenance, json, matches: matchesOf(provenance, this.parts.subscriptions.match(event, now)) }
      }),
    )
  }

  /**
   * Records what capture has read of a watch, and how far it has read, in one transaction. All events, repeats
   * included, are marked with the watch, even if its topic has been renamed since. From then on, deliveries are matched
   * in the place where capture found it.
   *
   * @param lease on capturing it, if several servers may
   * @throws AppError as `record`
   *
   * Source: docs/decisions/0009.
   */
  async recordCaptured(id: string, page: CapturedEvents, lease?: Lease): Promise<RecordOutcome[]> {
    const outcomes = await this.#recordPage(id, page, lease)
    await this.parts.subscriptions.reload(id)
    return outcomes
  }

  async #recordPage(id: string, page: CapturedEvents, lease: Lease | undefined): Promise<RecordOutcome[]> {
    const { events, host, attemptedAt, readTo, reread, followed } = page
    const place = { host, read_to: readTo, ...(reread ? { reread } : {}), ...(followed ? { followed } : {}) }
    const changes: CaptureState = { ...place, last_attempt_at: toTimestamp(attemptedAt) }
    const completed = events.map(sent => this.parts.people.complete(sent, CAPTURED))
    const toRecord = (now: Micros) =>
      completed.map((event, at): EventToRecord => {
        const isLast = at === completed.length - 1
        const last = isLast ? { cursor: readTo, captured: changes } : {}
        const held = lease ? { lease } : {}
        const own: SubscriptionMatch = { id, isCaptured: true, cursor: event.subject_id, ...last, ...held }
        const others = this.parts.subscriptions.match(event, now).filter(match => match.id !== id)
        return { event, provenance: CAPTURED, matches: [...others, own] }
      })
    if (completed.length > 0) return this.#record(toRecord)
    await this.parts.subscriptions.noteCapture(id, changes, readTo === NOTHING_READ ? undefined : readTo)
    return []
  }

  /**
   * Records events of a chat server's queue or of a poll, and the new position of each watch, in one transaction.
   *
   * @throws AppError as `record`
   *
   * Source: docs/decisions/0081.
   */
  async recordLive({ events, notes, provenance = CAPTURED }: LiveEvents): Promise<RecordOutcome[]> {
    const { people, subscriptions } = this.parts
    const completed = events.map(({ event, marks }) => ({ event: people.complete(event, provenance), marks }))
    const toRecord = (now: Micros) =>
      completed.map(({ event, marks }): EventToRecord => {
        const isMarked = new Set(marks.map(({ id }) => id))
        const others = subscriptions.match(event, now).filter(({ id }) => !isMarked.has(id))
        const own = marks.map(({ lease, ...mark }): SubscriptionMatch => {
          return { ...mark, isCaptured: true, ...(lease ? { lease } : {}) }
        })
        return { event, provenance, matches: [...others, ...own] }
      })
    const outcomes = completed.length > 0 ? await this.#record(toRecord) : []
    for (const { id, captured } of notes) await subscriptions.noteCapture(id, captured)
    const changed = [...events.flatMap(({ marks }) => marks), ...notes].filter(({ captured }) => captured?.followed)
    for (const { id } of changed) await subscriptions.reload(id)
    return outcomes
  }

  /** Records that content was removed, in one transaction with the removal. @throws AppError as `record` */
  recordErasure(sent: ErasureEntry, remove: (entry: EntryToRecord) => Promise<RecordOutcome>): Promise<RecordOutcome> {
    const { subscriptions, clock } = this.parts
    return this.#matched(async matchedWith => {
      const entry = { ...sent, matches: subscriptions.match(sent.event, clock()) }
      const outcome = await remove({ entry, matchedWith })
      this.#publish([entry], [outcome])
      return outcome
    })
  }

  /** @param toRecord matches the events */
  #record(toRecord: (now: Micros) => EventToRecord[]): Promise<RecordOutcome[]> {
    const { store, clock } = this.parts
    return this.#matched(async version => {
      const events = toRecord(clock())
      const outcomes = await store.events.record(events, version)
      this.#publish(events, outcomes)
      return outcomes
    })
  }

  /**
   * @param attempt matches events and records them; called again if another server changed the subscriptions during it
   */
  async #matched<Result>(attempt: (version: number | undefined) => Promise<Result>): Promise<Result> {
    for (let attempts = 1; ; attempts++) {
      const { version } = this.parts.subscriptions
      try {
        return await attempt(version)
      } catch (error) {
        if (!(error instanceof StaleMatches)) throw error
        if (attempts === MOST_ATTEMPTS) throw changingTooFast(error)
      }
      await this.parts.subscriptions.refresh()
    }
  }

  #publish(events: readonly EventToRecord[], outcomes: readonly RecordOutcome[]): void {
    const { feed } = this.parts
    if (feed.hasListeners) feed.publish(freshEvents(events, outcomes))
  }
}

function changingTooFast(cause: StaleMatches): AppError {
  const message = 'The subscriptions change faster than events can be matched with them.'
  return new AppError('unavailable', 'busy', message, { hint: 'Try again in a moment.', retryAfterSeconds: 1, cause })
}

function matchesOf({ key_space }: Provenance, matches: SubscriptionMatch[]): SubscriptionMatch[] {
  return key_space === undefined ? matches : matches.map(({ id }) => ({ id }))
}

function freshEvents(events: readonly EventToRecord[], outcomes: readonly RecordOutcome[]): FreshEvent[] {
  return events.flatMap(({ event, provenance, matches, json }, at) => {
    const outcome = outcomes[at]
    if (!outcome?.created) return []
    const toStored = () => {
      const captured_at = toTimestamp(outcome.capturedAt)
      const subscription_ids = matches.map(match => match.id)
      return { ...event, provenance, subscription_ids, captured_at, seen_count: 1, last_seen_at: captured_at }
    }
    return [{ kind: event.kind, isWhole: json === undefined, toStored }]
  })
}
