/**
 * Bytes that are free before and after an event that was written down as JSON, in its buffer: there the store puts what it
 * adds, so that nobody waits for a copy. It copies what comes without them.
 */
export const JSON_ROOM = { before: 64, after: 64 * 1024 }
