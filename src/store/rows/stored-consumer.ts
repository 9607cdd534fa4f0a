import type { ConsumerPlace } from '../consumer-rules.js'
import type { StoredConsumer, StoredDeadLetter } from '../consumer-store.js'
import { numberOrNull, textOrNull } from './columns.js'

/** Converts a row of `consumers`. */
export function toPlace(row: Record<string, unknown>): ConsumerPlace {
  return {
    filters: JSON.parse(String(row.filters)),
    checkpoint: Number(row.checkpoint),
    read_to: Number(row.read_to),
    epoch: String(row.epoch),
    fence: Number(row.fence),
    leased_until: Number(row.leased_until),
  }
}

/** Converts a row of `consumers` with `dead_letters` and `retries`. */
export function toConsumer(row: Record<string, unknown>): StoredConsumer {
  const { read_to: _, ...place } = toPlace(row)
  return {
    ...place,
    name: String(row.name),
    owner_user_id: textOrNull(row.owner_user_id),
    acknowledged_at: numberOrNull(row.acknowledged_at),
    failures: Number(row.failures),
    last_error: textOrNull(row.last_error),
    failed_at: numberOrNull(row.failed_at),
    created_at: Number(row.created_at),
    updated_at: Number(row.updated_at),
    dead_letters: Number(row.dead_letters),
    retries: Number(row.retries),
  }
}

/** Converts a row of `dead_letters`. */
export function toDeadLetter(row: Record<string, unknown>): StoredDeadLetter {
  return {
    id: Number(row.id),
    dedupe_key: String(row.dedupe_key),
    captured_at: Number(row.captured_us),
    error: String(row.error),
    attempts: Number(row.attempts),
    failed_at: Number(row.failed_at),
    retrying: Boolean(row.retrying),
  }
}
