/**
 * Bytes that are free before and after an event that was written down as JSON, in a buffer of its own: there the store puts
 * what it adds, so that nobody waits for a copy. It copies what comes with any other room.
 */
export const JSON_ROOM = { before: 64, after: 64 * 1024 }
