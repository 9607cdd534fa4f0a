import { AppError } from '../app-error.js'
import type { FilterValues } from '../events/filter-values.js'
import type { Micros } from '../timestamp.js'

export const CONSUMER_LIMITS = {
  /** Maximum body of a request, with up to 500 dead letters. */
  bytes: 4 * 1024 * 1024,
  nameCharacters: 64,
  /** The filters as JSON: as much as the address of `GET /api/events` may have. */
  filterBytes: 16 * 1024,
  /** Limit per owner, and for all consumers without an owner. */
  perOwner: 2_000,
  /** Dead letters of one consumer. The ledger refuses an acknowledgement that would exceed this, so none is lost. */
  deadLetters: 10_000,
  /** Bytes of an error text that are kept: its end. */
  errorBytes: 4 * 1024,
  /** Dead letters in one acknowledgement, and in one page of the list. */
  page: 500,
  leaseSeconds: { min: 5, max: 600, default: 30 },
} as const

/** A letter or digit, then letters, digits, ".", "_" and "-". */
export const CONSUMER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** Where a consumer begins. `same`: its current position, also after a restore of the ledger. */
export type ConsumerPosition = 'beginning' | 'now' | 'same' | Micros

/** How far a consumer is behind. */
export interface ConsumerLag {
  /** Matching events after the checkpoint. */
  events: number
  /** Age of the oldest of them; 0 if there is none. */
  seconds: number
  /** False if counting would have taken too long: `events` is then a minimum, and `seconds` a maximum. */
  exact: boolean
}

/** A consumer as its owner sees it. */
export interface Consumer {
  name: string
  owner_user_id: string | null
  filters: FilterValues
  /** Everything up to here is acknowledged. */
  checkpoint: string
  /** Epoch of the ledger in which the checkpoint was set. */
  epoch: string
  /** The ledger was restored or replaced: the consumer reads nothing until its position is set. */
  epoch_changed: boolean
  lag: ConsumerLag
  /** End of the lease of the instance that currently reads. */
  leased_until: string | null
  acknowledged_at: string | null
  /** Failures reported since the consumer was created. */
  failures: number
  last_error: string | null
  failed_at: string | null
  dead_letters: number
  created_at: string
  updated_at: string
}

/** An event that a consumer gave up. */
export interface DeadLetter {
  id: number
  dedupe_key: string
  captured_at: string
  error: string
  attempts: number
  failed_at: string
  /** It is delivered again as soon as the consumer reads. */
  retrying: boolean
}

export function unknownConsumer(): AppError {
  return new AppError('not_found', 'not_found', 'There is no such consumer.', {
    hint: 'List them with `daybook consumers list`.',
  })
}
