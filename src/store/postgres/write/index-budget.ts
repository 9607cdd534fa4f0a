import type { PreparedEvent } from './prepared-event.js'

/**
 * Different sequences of three characters that one transaction adds to the search index, summed over its events. Each
 * costs 2 to 4 µs while all writers wait.
 */
export const MOST_TRIGRAMS = 1_000_000

const SLOTS = 1 << 16
const lastText = new Uint32Array(SLOTS)
let textNumber = 0

/** How many different sequences of three characters a text has: nearly, because two may count as one. */
export function countTrigrams(text: string | null): number {
  if (text === null) return 0
  textNumber = (textNumber + 1) >>> 0
  let count = 0
  for (let at = 2; at < text.length; at++) {
    const two = text.charCodeAt(at - 2) * 31 + text.charCodeAt(at - 1)
    const hash = Math.imul(two * 31 + text.charCodeAt(at), 0x85ebca6b)
    const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1)
    if (lastText[slot] === textNumber) continue
    lastText[slot] = textNumber
    count++
  }
  return count
}

/** The events of one call; once its texts would cost too much, the others stay outside the index, and searches read them. */
export function withinIndexBudget(events: readonly PreparedEvent[], most = MOST_TRIGRAMS): PreparedEvent[] {
  let left = most
  return events.map(event => {
    left -= event.trigrams
    return left >= 0 || event.text === null ? event : { ...event, text: null, longText: event.text, trigrams: 0 }
  })
}
