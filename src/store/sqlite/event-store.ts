import { AppError } from '../../model/app-error.js'
import type { EventPage, EventQuery } from '../../model/event-query.js'
import type { Micros } from '../../model/timestamp.js'
import type { EventStore, EventToRecord, LedgerStats, RecordOutcome, StoreHealth } from '../event-store.js'
import { closeBody, type EventRow, type RowOutcome } from './event-writer.js'
import type { StoreThread } from './store-thread.js'

/** Events and bytes that may wait for the store at once; a caller beyond that is asked to come back. */
const WAITING = { events: 50_000, characters: 256 * 1024 * 1024 }
/** A commit younger than this proves that the store can commit. */
const PROVEN_MS = 1_000

interface Group {
  rows: EventRow[]
  settle: { count: number; resolve: (outcomes: RecordOutcome[]) => void; reject: (error: unknown) => void }[]
}

/**
 * Events over the store's thread. While one group is being committed, the next one gathers here: one message and one
 * commit serve everything that came meanwhile, and a single event on an idle ledger goes at once.
 */
export class SqliteEventStore implements EventStore {
  #gathering: Group = { rows: [], settle: [] }
  #committing = false
  #waiting = { events: 0, characters: 0 }
  #provenAt = Number.NEGATIVE_INFINITY
  #head: Micros | null = null

  constructor(
    private readonly thread: StoreThread,
    private readonly options: { path: string; epoch: string; clock: () => Micros },
  ) {}

  record(events: EventToRecord[]): Promise<RecordOutcome[]> {
    if (events.length === 0) return Promise.resolve([])
    if (this.#waiting.events > WAITING.events || this.#waiting.characters > WAITING.characters) {
      const message = 'More events are waiting to be stored than the ledger holds in memory. Try again shortly.'
      return Promise.reject(new AppError('unavailable', 'busy', message, { retryAfterSeconds: 1 }))
    }
    const rows = events.map(toRow)
    return new Promise((resolve, reject) => {
      this.#gathering.rows.push(...rows)
      this.#gathering.settle.push({ count: rows.length, resolve, reject })
      this.#waiting.events += rows.length
      for (const row of rows) this.#waiting.characters += row.openBody.length
      if (!this.#committing) void this.#commit()
    })
  }

  findByDedupeKey(dedupeKey: string): Promise<string | undefined> {
    return this.thread.read({ task: 'find_event', dedupeKey })
  }

  query(query: EventQuery, signal?: AbortSignal): Promise<EventPage> {
    return this.thread.query({ task: 'query', query }, signal)
  }

  stats(): Promise<LedgerStats> {
    return this.thread.read({ task: 'stats' })
  }

  async health(): Promise<StoreHealth> {
    if (performance.now() - this.#provenAt > PROVEN_MS) {
      const { head } = await this.thread.write<{ head: Micros | null }>({ task: 'probe' })
      this.#head = head
      this.#provenAt = performance.now()
    }
    return { database: this.options.path, engine: 'sqlite', head: this.#head, epoch: this.options.epoch }
  }

  async #commit(): Promise<void> {
    this.#committing = true
    while (this.#gathering.rows.length > 0) {
      const group = this.#gathering
      this.#gathering = { rows: [], settle: [] }
      try {
        const outcomes = await this.thread.write<RowOutcome[]>({
          task: 'record',
          rows: group.rows,
          now: this.options.clock(),
        })
        this.#provenAt = performance.now()
        this.#share(group, outcomes)
      } catch (error) {
        this.#provenAt = Number.NEGATIVE_INFINITY
        for (const { reject } of group.settle) reject(error)
      }
      this.#waiting.events -= group.rows.length
      for (const row of group.rows) this.#waiting.characters -= row.openBody.length
    }
    this.#committing = false
  }

  #share(group: Group, outcomes: RowOutcome[]): void {
    const recorded = outcomes.map((outcome, at) => toOutcome(group.rows[at] as EventRow, outcome))
    for (const { created, capturedAt } of recorded) if (created) this.#head = capturedAt
    let at = 0
    for (const { count, resolve } of group.settle) {
      resolve(recorded.slice(at, at + count))
      at += count
    }
  }
}

function toRow({ event, provenance, matches }: EventToRecord): EventRow {
  const body = JSON.stringify({ ...event, subscription_ids: matches.map(match => match.id), provenance })
  return {
    dedupeKey: event.dedupe_key,
    source: event.source,
    kind: event.kind,
    subjectId: event.subject_id,
    openBody: body.slice(0, -1),
    matches,
  }
}

function toOutcome(row: EventRow, { created, seenCount, capturedAt, body }: RowOutcome): RecordOutcome {
  const complete = body ?? closeBody(row.openBody, capturedAt)
  return { created, dedupeKey: row.dedupeKey, seenCount, capturedAt, body: complete }
}
