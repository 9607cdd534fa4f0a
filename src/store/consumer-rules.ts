import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../model/app-error.js'
import { CONSUMER_LIMITS, type ConsumerPosition } from '../model/consumers/consumer.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import type { Acknowledgement, LeaseRequest, StoredConsumer } from './consumer-store.js'

/** State of a consumer on which a store bases its decision, in the transaction that changes the consumer. */
export interface ConsumerPlace
  extends Pick<StoredConsumer, 'filters' | 'checkpoint' | 'epoch' | 'fence' | 'leased_until'> {
  /** Checkpoint after the last event that was read. */
  read_to: Micros
}

/** Longer than any lease with the longest wait for events. One beyond that was given before the clock was set back. */
const LONGEST_LEASE: Micros = 3_600_000_000

/** End of a released lease. One that has expired is still its instance's until another takes it. */
const RELEASED: Micros = 0

type LeaseDecision = { granted: true; fence: number; until: Micros; readTo: Micros } | { granted: false; until: Micros }

/** @param epoch of the ledger @returns an error if the lease is refused, see `ConsumerStore.lease` */
export function decideLease(place: ConsumerPlace, request: LeaseRequest, epoch: string): LeaseDecision | AppError {
  const { fence, now, continues, filters = place.filters, readTo = 0 } = request
  if (place.epoch !== epoch) return epochChanged()
  const until = leaseEnd(request)
  if (fence !== undefined) {
    if (fence !== place.fence || (continues && place.leased_until === RELEASED)) return leaseLost()
    const read = isDeepStrictEqual(filters, place.filters) ? readTo : 0
    return { granted: true, fence, until, readTo: Math.max(place.read_to, read) }
  }
  if (place.leased_until > now && place.leased_until <= now + LONGEST_LEASE)
    return { granted: false, until: place.leased_until }
  return { granted: true, fence: nextFence(place, now), until, readTo: place.checkpoint }
}

/** The end of a lease as stored. */
export function leaseEnd({ now, until }: Pick<LeaseRequest, 'now' | 'until'>): Micros {
  return until > now ? until : RELEASED
}

/**
 * Decides about an acknowledgement. `deadLetters` is the number of dead letters after it.
 *
 * @returns the new checkpoint, or an error if it is refused, see `ConsumerStore.acknowledge`
 */
export function decideCheckpoint(
  place: ConsumerPlace,
  { fence, checkpoint = place.checkpoint }: Acknowledgement,
  { epoch, deadLetters }: { epoch: string; deadLetters: number },
): Micros | AppError {
  if (place.epoch !== epoch) return epochChanged()
  if (fence !== place.fence) return leaseLost()
  if (checkpoint < place.checkpoint || checkpoint > place.read_to) return outOfRange(place)
  return deadLetters > CONSUMER_LIMITS.deadLetters ? tooManyDeadLetters() : checkpoint
}

/** Higher than every earlier fencing number, also than one that the ledger gave before it was restored. */
export function nextFence({ fence }: Pick<ConsumerPlace, 'fence'>, now: Micros): number {
  return Math.max(fence + 1, Math.floor(now / 1000))
}

/** A time in the future counts as now: every event that is captured from now on is later than the newest one. */
export function positionInstant(position: ConsumerPosition, { head, same }: { head: Micros; same: Micros }): Micros {
  if (position === 'beginning') return 0
  if (position === 'same') return same
  return position === 'now' ? head : Math.min(position, head)
}

export function unknownDeadLetter(): AppError {
  return new AppError('not_found', 'not_found', 'There is no such dead letter.', {
    hint: 'List them with `daybook consumers dead-letters`.',
  })
}

export function nameTakenError(): AppError {
  return new AppError('conflict', 'consumer_taken', 'The consumer of this name belongs to another user.', {
    hint: 'Choose another name.',
  })
}

export function tooManyConsumers(most: number): AppError {
  return new AppError('conflict', 'too_many_consumers', `There are ${most} consumers, and no more are allowed.`, {
    hint: 'Delete one that is no longer needed.',
  })
}

function epochChanged(): AppError {
  return new AppError('conflict', 'epoch_changed', 'The ledger was restored or replaced since this consumer read.', {
    hint: 'Choose where it continues: `daybook consumers seek`, with "same" for its current position.',
  })
}

function leaseLost(): AppError {
  return new AppError(
    'conflict',
    'lease_lost',
    'Another instance reads for this consumer, its position or its filters were changed, or the lease was released.',
    {
      hint: 'Read again without fence.',
    },
  )
}

function outOfRange({ checkpoint, read_to }: ConsumerPlace): AppError {
  const detail = `The checkpoint must be from ${toTimestamp(checkpoint)}, which is acknowledged, to ${toTimestamp(read_to)}, which was read.`
  return new AppError('conflict', 'checkpoint_out_of_range', detail)
}

function tooManyDeadLetters(): AppError {
  const detail = `The consumer has ${CONSUMER_LIMITS.deadLetters} dead letters, and no more are kept.`
  return new AppError('conflict', 'too_many_dead_letters', detail, { hint: 'Retry or delete some.' })
}
