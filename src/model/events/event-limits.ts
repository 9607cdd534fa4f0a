/** For an event's `source`, and for the sources that a token may record. */
export const SOURCE_PATTERN = '^[A-Za-z0-9][A-Za-z0-9_.-]*$'

/**
 * Prefix of the keys under which a closed ledger stores events from callers without credentials. No event may use such
 * a key. Source: decisions on the event, "Default dedupe key"; docs/decisions/0019.
 */
export const UNVERIFIED_KEYS = 'unverified:'

/** Limits of one event. Characters are Unicode code points. Source: decisions on the event, sections 2 and 4. */
export const EVENT_LIMITS = {
  dedupeKeyCharacters: 512,
  /** Leaves room for `UNVERIFIED_KEYS`. */
  unverifiedKeyCharacters: 512 - UNVERIFIED_KEYS.length,
  kindCharacters: 128,
  subjectIdCharacters: 512,
  sourceCharacters: 64,
  bytes: 1024 * 1024,
  batchEvents: 5_000,
  batchBytes: 32 * 1024 * 1024,
} as const

/**
 * Free bytes before and after an event serialised as JSON in a buffer of its own. The store writes its additions there,
 * which avoids a copy. If the buffer has other free space, the store copies the JSON.
 */
export const RESERVED_BYTES = { before: 64, after: 64 * 1024 }
