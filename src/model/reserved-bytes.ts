/**
 * Free bytes before and after an event serialised as JSON, in a buffer of its own. The store writes its additions there
 * and avoids a copy. It copies JSON with any other room.
 */
export const RESERVED_BYTES = { before: 64, after: 64 * 1024 }
