import type { ConsumerPosition } from '../model/consumers/consumer.js'
import type { FilterValues } from '../model/events/filter-values.js'
import type { Micros } from '../model/timestamp.js'

/** A consumer as stored. */
export interface StoredConsumer {
  name: string
  owner_user_id: string | null
  filters: FilterValues
  /** Everything up to here is acknowledged. */
  checkpoint: Micros
  /** Epoch of the ledger in which the checkpoint was set. */
  epoch: string
  /** Fencing number of the last lease. Each lease has a higher one, also across restores: it is at least a time in ms. */
  fence: number
  /** End of the lease; 0 for a released one. */
  leased_until: Micros
  acknowledged_at: Micros | null
  failures: number
  last_error: string | null
  failed_at: Micros | null
  created_at: Micros
  updated_at: Micros
  dead_letters: number
  /** Dead letters to deliver again. */
  retries: number
}

/** The name of a consumer. With `owner`, a consumer of another owner is not found. */
export interface ConsumerKey {
  name: string
  owner?: string | undefined
}

export interface ConsumerDraft {
  name: string
  owner_user_id: string | null
  /** Absent: a stored consumer keeps its filters; a new one has none. */
  filters?: FilterValues | undefined
  /** Start of a new consumer; ignored for an existing one. */
  position: ConsumerPosition
}

/** A request to read, or a report of what was read. */
export interface LeaseRequest {
  /** Fencing number of the caller's lease; absent if it has none yet. */
  fence?: number | undefined
  now: Micros
  /** The end of the lease; `now` releases it. */
  until: Micros
  /** True for a read that has the lease already: it does not take it again if it was released meanwhile. */
  continues?: boolean | undefined
  /** Checkpoint after the last event that was read: the upper limit for acknowledgements. */
  readTo?: Micros | undefined
  /** Those of the read. If the consumer has others by now, `readTo` does not count. */
  filters?: FilterValues | undefined
}

export type Lease =
  | { granted: true; consumer: StoredConsumer }
  /** Another instance holds the lease until then. */
  | { granted: false; until: Micros }

export interface NewDeadLetter {
  dedupe_key: string
  captured_at: Micros
  error: string
  attempts: number
}

export interface StoredDeadLetter extends NewDeadLetter {
  id: number
  failed_at: Micros
  retrying: boolean
}

export interface Acknowledgement {
  fence: number
  now: Micros
  /** The new end of the lease; `now` releases it. */
  until: Micros
  /** Absent: it stays. */
  checkpoint?: Micros | undefined
  /** Id of a dead letter whose redelivery is over: it was processed, or is in `deadLetters` again. */
  retried?: number | undefined
  deadLetters?: readonly NewDeadLetter[] | undefined
  /** A failure to report. */
  error?: string | undefined
}

/** How many events there are after a checkpoint, of any kind. */
export interface Unread {
  events: number
  /** False: there are at least that many. */
  exact: boolean
  /** When the first of them was captured. */
  oldest: Micros | null
}

/** Dead letters: one, or all of a consumer. */
export type DeadLetterChoice = number | 'all'

/**
 * Named consumers. Every rule about leases and checkpoints is checked in the transaction that applies it, so that any
 * number of servers may answer for one consumer. Every method but `find` and `list` throws `not_found/not_found` for a
 * consumer that does not exist or has another owner.
 *
 * Source: docs/decisions/0070.
 */
export interface ConsumerStore {
  find(key: ConsumerKey): Promise<StoredConsumer | undefined>

  /** All, or one owner's, by name. */
  list(owner?: string): Promise<StoredConsumer[]>

  /**
   * Creates a consumer, or replaces the filters of the one with that name.
   *
   * @throws AppError `conflict/consumer_taken` for another owner's, `conflict/too_many_consumers`
   */
  save(
    draft: ConsumerDraft,
    rules: { owner?: string | undefined; most: number; now: Micros },
  ): Promise<{ created: boolean; consumer: StoredConsumer }>

  delete(key: ConsumerKey): Promise<void>

  /**
   * Gives a lease to a caller without one if none is valid, or extends the caller's own. An expired lease can be
   * extended until another instance has taken it.
   *
   * @throws AppError `conflict/epoch_changed`, `conflict/lease_lost`
   */
  lease(key: ConsumerKey, request: LeaseRequest): Promise<Lease>

  /**
   * Moves the checkpoint, stores dead letters and reports a failure: all or nothing. Acknowledging the current
   * checkpoint again only extends the lease.
   *
   * @throws AppError `conflict/epoch_changed`, `conflict/lease_lost`, `conflict/checkpoint_out_of_range` for a
   *   checkpoint before the stored one or after the last read, `conflict/too_many_dead_letters`
   */
  acknowledge(key: ConsumerKey, acknowledgement: Acknowledgement): Promise<StoredConsumer>

  /** Moves the checkpoint to any position, ends the lease, and adopts the epoch of the ledger. */
  seek(key: ConsumerKey, position: ConsumerPosition, now: Micros): Promise<StoredConsumer>

  /** Counts the events after each of the checkpoints. */
  unread(checkpoints: readonly Micros[]): Promise<Unread[]>

  /** A page by id: the first `limit` after `after`. */
  listDeadLetters(key: ConsumerKey, page: { after: number; limit: number }): Promise<StoredDeadLetter[]>

  /** The first dead letter to deliver again. */
  findRetry(key: ConsumerKey): Promise<StoredDeadLetter | undefined>

  /**
   * Requests redelivery of dead letters. @returns how many @throws AppError `not_found/not_found` for a dead letter
   * that does not exist
   */
  retryDeadLetters(key: ConsumerKey, choice: DeadLetterChoice): Promise<number>

  /** Deletes dead letters. @returns how many @throws AppError as `retryDeadLetters` */
  deleteDeadLetters(key: ConsumerKey, choice: DeadLetterChoice): Promise<number>
}
