import { lineAt } from '../terminal/fields.js'
import type { ItemShape } from './output-options.js'

/** The key that `api event` takes: another, proved event may have the same dedupe key. */
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
