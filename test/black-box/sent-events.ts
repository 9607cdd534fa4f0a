import type { StoredEvent } from '../../src/model/events/event.js'
import type { Subscription } from '../../src/model/subscriptions/subscription.js'
import type { Recorded } from './entries.js'

interface Sent {
  /** Deliveries that were sent, answered or not. */
  attempts: number
  /** Deliveries that were answered. */
  acknowledged: number
  capturedAt?: string
}

interface SavedSubscription {
  attempted: number
  acknowledged: number
}

/**
 * The requests that a test sent to a ledger and the answers, for a later comparison with the ledger. Each comparison
 * returns its problems as sentences, so that one assertion covers thousands of events.
 */
export class SentEvents {
  readonly #events = new Map<string, Sent>()
  readonly #subscriptions = new Map<string, SavedSubscription>()
  /** Batches without an answer: all of their events are there, or none. */
  readonly #openBatches: string[][] = []
  /** Problems that were found in answers. */
  readonly problems: string[] = []

  /** Keys that were sent before the last comparison: sending one again makes it a repeat. */
  settled: readonly string[] = []

  get acknowledged(): number {
    return [...this.#events.values()].filter(sent => sent.acknowledged > 0).length
  }

  attempt(key: string): void {
    this.#of(key).attempts += 1
  }

  acknowledge({ dedupe_key: key, captured_at: capturedAt, seen_count: seenCount }: Recorded): void {
    const sent = this.#of(key)
    sent.acknowledged += 1
    if (sent.capturedAt !== undefined && sent.capturedAt !== capturedAt) {
      this.problems.push(`${key} was captured at ${sent.capturedAt}, and later at ${capturedAt}`)
    }
    sent.capturedAt = capturedAt
    if (seenCount > sent.attempts || seenCount < sent.acknowledged) {
      this.problems.push(`${key} was seen ${seenCount} times, sent ${sent.attempts}, answered ${sent.acknowledged}`)
    }
  }

  /** @returns a function to call when the batch was answered */
  attemptBatch(keys: string[]): (results: readonly Recorded[]) => void {
    for (const key of keys) this.attempt(key)
    this.#openBatches.push(keys)
    return results => {
      this.#openBatches.splice(this.#openBatches.indexOf(keys), 1)
      for (const result of results) this.acknowledge(result)
      const answered = results.map(result => result.dedupe_key)
      if (answered.join() !== keys.join()) this.problems.push(`a batch of ${keys} was answered with ${answered}`)
    }
  }

  attemptSubscription(id: string): number {
    const saved = this.#subscriptions.get(id) ?? { attempted: 0, acknowledged: 0 }
    this.#subscriptions.set(id, saved)
    saved.attempted += 1
    return saved.attempted
  }

  acknowledgeSubscription(id: string, revision: number): void {
    const saved = this.#subscriptions.get(id)
    if (saved) saved.acknowledged = revision
  }

  /** Problems of the ledger's current events, oldest first. */
  compareEvents(events: readonly StoredEvent[]): string[] {
    const problems = [...this.problems]
    const stored = new Map(events.map(event => [event.dedupe_key, event]))
    if (stored.size !== events.length) problems.push(`${events.length - stored.size} keys are there twice`)
    for (const [at, event] of events.entries()) {
      const before = events[at - 1]
      if (before && before.captured_at >= event.captured_at) {
        problems.push(`${event.dedupe_key} does not come after ${before.dedupe_key}`)
      }
      if (!this.#events.has(event.dedupe_key)) problems.push(`${event.dedupe_key} was never sent`)
      if (event.payload.said !== event.dedupe_key) problems.push(`${event.dedupe_key} does not say what was sent`)
    }
    for (const [key, sent] of this.#events) problems.push(...compareEvent(key, sent, stored.get(key)))
    for (const batch of this.#openBatches.splice(0)) {
      const there = batch.filter(key => stored.has(key))
      if (there.length > 0 && there.length < batch.length) problems.push(`half a batch is there: ${there} of ${batch}`)
    }
    this.settled = [...this.#events.keys()]
    return problems
  }

  /** Problems of the subscriptions, given all events of the ledger, oldest first. */
  compareSubscriptions(subscriptions: readonly Subscription[], events: readonly StoredEvent[]): string[] {
    const problems: string[] = []
    for (const [id, { attempted, acknowledged }] of this.#subscriptions) {
      const stored = subscriptions.find(subscription => subscription.id === id)
      const revision = Number(stored?.metadata.revision ?? 0)
      if (revision < acknowledged || revision > attempted) {
        problems.push(`${id} is at revision ${revision}, saved ${acknowledged}, sent ${attempted}`)
      }
      const newest = events.findLast(event => event.subscription_ids.includes(id))
      if (stored && stored.last_event_at !== (newest?.captured_at ?? null)) {
        problems.push(`${id} had its last event at ${stored.last_event_at}, not at ${newest?.captured_at}`)
      }
    }
    return problems
  }

  #of(key: string): Sent {
    const sent = this.#events.get(key) ?? { attempts: 0, acknowledged: 0 }
    this.#events.set(key, sent)
    return sent
  }
}

function compareEvent(key: string, sent: Sent, stored: StoredEvent | undefined): string[] {
  if (!stored) return sent.acknowledged > 0 ? [`${key} was acknowledged and is lost`] : []
  const problems: string[] = []
  if (sent.capturedAt !== undefined && stored.captured_at !== sent.capturedAt) {
    problems.push(`${key} was acknowledged as of ${sent.capturedAt} and is stored as of ${stored.captured_at}`)
  }
  if (stored.seen_count < sent.acknowledged || stored.seen_count > sent.attempts) {
    problems.push(`${key} has seen_count ${stored.seen_count}; ${sent.acknowledged} of ${sent.attempts} were answered`)
  }
  return problems
}
