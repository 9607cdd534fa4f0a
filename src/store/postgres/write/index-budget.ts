import type { PreparedEvent } from './prepared-event.js'

/**
 * Different sequences of three characters that one transaction adds to the search index, summed over its events. Each
 * costs 2 to 4 µs while all writers wait.
 */
export const MOST_TRIGRAMS = 1_000_000

const SLOT_BITS = 20
/** The number of the text that has a sequence, for each sequence. */
const lastText = new Uint32Array(1 << SLOT_BITS)
let textNumber = 0

/** How many different sequences of three characters a text has; a few less, as two may share a slot. */
export function countTrigrams(text: string | null): number {
  if (text === null) return 0
  textNumber = (textNumber + 1) >>> 0
  let count = 0
  for (let at = 2; at < text.length; at++) {
    const first = Math.imul(text.charCodeAt(at - 2), 0x9e3779b1)
    const second = Math.imul(first ^ text.charCodeAt(at - 1), 0x85ebca6b)
    const third = Math.imul(second ^ (second >>> 15) ^ text.charCodeAt(at), 0xc2b2ae35)
    const slot = (third ^ (third >>> 13)) >>> (32 - SLOT_BITS)
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
