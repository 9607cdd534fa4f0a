import { createHash } from 'node:crypto'
import { invalidField } from '../model/app-error.js'
import type { EventInput } from '../model/event.js'
import { EVENT_LIMITS } from '../model/event-limits.js'

/**
 * The identity of an event that was sent without one: `<source>:<kind>:<subject_type>:<subject_id>`, and where more
 * was sent that tells two such events apart (`occurred_at`, `actor.id`, `target`, `payload`), the first 16 hex digits
 * of the SHA-256 of that as canonical JSON (RFC 8785). The same event sent twice has the same key.
 *
 * @throws AppError `invalid/invalid_field` for `/dedupe_key` when the parts are longer than a key may be
 *
 * Source: decisions on the event, "Default dedupe key".
 */
export function defaultDedupeKey(event: EventInput & { source: string; occurred_at: string | null }): string {
  const telling: Record<string, unknown> = {}
  if (event.occurred_at) telling.occurred_at = event.occurred_at
  if (event.actor?.id) telling.actor_id = event.actor.id
  if (event.target) telling.target = event.target
  if (event.payload) telling.payload = event.payload
  const subject = `${event.source}:${event.kind}:${event.subject_type}:${event.subject_id}`
  const key = Object.keys(telling).length === 0 ? subject : `${subject}:${digest(telling)}`
  const characters = [...key].length
  if (characters > EVENT_LIMITS.dedupeKeyCharacters) {
    throw invalidField(
      '/dedupe_key',
      `/dedupe_key would be ${characters} characters made from source, kind and subject; send one of at most ${EVENT_LIMITS.dedupeKeyCharacters}.`,
    )
  }
  return key
}

function digest(telling: Record<string, unknown>): string {
  return createHash('sha256').update(toCanonicalJson(telling)).digest('hex').slice(0, 16)
}

/**
 * JSON with one spelling for one value: members sorted by UTF-16 code units, no blanks; strings and numbers are
 * already spelt by `JSON.stringify` as RFC 8785 wants them.
 */
export function toCanonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${toCanonicalJson(member)}`).join(',')}}`
}
