import type { LedgerEvent } from '../../shared/wire.js'

/**
 * The key that identifies this event in the ledger. Two events may share a dedupe key: a proved one and one posted by a
 * caller without credentials.
 */
export function eventKey({ dedupe_key, provenance }: Pick<LedgerEvent, 'dedupe_key' | 'provenance'>): string {
  return provenance.key_space === undefined ? dedupe_key : `${provenance.key_space}:${dedupe_key}`
}
