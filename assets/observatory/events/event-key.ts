import type { StoredEvent } from '#model/events/event'

/**
 * The key that identifies this event in the ledger. Two events may share a dedupe key: a proved one and one posted by a
 * caller without credentials.
 */
export function eventKey({ dedupe_key, provenance }: Pick<StoredEvent, 'dedupe_key' | 'provenance'>): string {
  return provenance.key_space === undefined ? dedupe_key : `${provenance.key_space}:${dedupe_key}`
}
