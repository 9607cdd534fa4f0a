import type { Micros } from '../../../model/timestamp.js'

/**
 * The range of a watch that is read again. A server assigns ids before it commits, so a message may become visible
 * after one with a greater id.
 */
export interface Reread {
  /** Messages after this id are read again. */
  from: number
  /** Replaces `from` after a fixed time: the newest id read at `since`. */
  next: number
  since: Micros
}

/** Longer than any commit: the server ends requests after half a minute. */
const SETTLED_AFTER: Micros = 300_000_000

/** After the first capture of a watch. @param oldest id of the oldest recorded message, if any */
export function firstReread(oldest: number | undefined, readTo: number, now: Micros): Reread {
  return { from: oldest === undefined ? readTo : oldest - 1, next: readTo, since: now }
}

/**
 * The range for the next capture. If the watch is captured at least every five minutes, messages read more than ten
 * minutes ago are not read again; otherwise, only those of the previous capture are.
 *
 * @param readTo the newest id read
 */
export function nextReread(last: Reread | undefined, readTo: number, now: Micros): Reread {
  if (!last) return { from: readTo, next: readTo, since: now }
  const isSettled = last.from === readTo && last.next === readTo
  if (isSettled || now - last.since < SETTLED_AFTER) return last
  return { from: last.next, next: readTo, since: now }
}
