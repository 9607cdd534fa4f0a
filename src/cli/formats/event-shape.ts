import { lineAt } from '../terminal/fields.js'
import type { ItemShape } from './output-options.js'

/** The key that `api event` accepts. An unverified event may have the same dedupe key as a verified one. */
export function eventKeyOf(event: unknown): string {
  const space = lineAt(event, 'provenance', 'key_space')
  const key = lineAt(event, 'dedupe_key')
  return space === '' ? key : `${space}:${key}`
}

export const EVENT_SHAPE: ItemShape = {
  name: eventKeyOf,
  columns: [
    ...['captured_at', 'occurred_at', 'source', 'kind', 'actor.id', 'actor.display', 'target.key', 'target.display'],
    ...['conversation.title', 'conversation.text', 'seen_count', 'dedupe_key'],
  ],
}
