import type { NewEvent } from '../../model/events/event.js'

/** UTF-16 code units. */
const MAX_TEXT = 128 * 1024

/**
 * Truncates texts that an adapter took from a payload. An event then contains a huge text only once, in its payload,
 * and not again in its conversation, target and metadata.
 *
 * @param bytes size of the delivery, an upper limit of its texts
 */
export function withinTextBounds(event: NewEvent, bytes: number): NewEvent {
  if (bytes <= MAX_TEXT) return event
  const { payload, ...others } = event
  return { ...(cut(others) as Omit<NewEvent, 'payload'>), payload }
}

/** The same value with truncated texts. Values built by adapters are a few levels deep. */
function cut(value: unknown): unknown {
  if (typeof value === 'string') return withinTextBound(value)
  if (Array.isArray(value)) return value.map(cut)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cut(member)]))
}

/** Never splits a surrogate pair. */
export function withinTextBound(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).replace(/[\uD800-\uDBFF]$/u, '')}…`
}
