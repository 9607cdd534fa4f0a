import { createHash } from 'node:crypto'
import type { EventInput } from '../model/events/event.js'

/** Members that entered the digest in version 0.2 when the event had no others beyond its subject. */
const DIGESTED_IN_0_2: ReadonlySet<string> = new Set(['occurred_at', 'actor', 'target', 'payload'])
const SUBJECT: ReadonlySet<string> = new Set(['source', 'kind', 'subject_type', 'subject_id'])

/**
 * The identity of an event sent without a dedupe key: `<source>:<kind>:<subject_type>:<subject_id>` and, if anything
 * else was sent, the first 16 hex digits of the SHA-256 of the input as canonical JSON (RFC 8785). Two events have the
 * same key exactly when their input is the same; the spelling of an instant does not matter.
 *
 * If only `occurred_at`, `actor.id`, `target` and `payload` were sent beyond the subject, the key is that of version
 * 0.2, so that a delivery of an event from that version counts as a repeat.
 *
 * @param sent without the members that the ledger sets
 * @param read `source` as it is stored; `occurredAt` in UTC with six digits
 *
 * Source: decisions on the event, "Default dedupe key"; docs/decisions/0019.
 */
export function defaultDedupeKey(
  sent: EventInput,
  { source, occurredAt }: { source: string; occurredAt: string | null },
): string {
  const { kind, subject_type, subject_id, occurred_at: _, ...others } = sent
  const subject = `${source}:${kind}:${subject_type}:${subject_id}`
  const when = occurredAt === null ? {} : { occurred_at: occurredAt }
  // The subject is part of the newer digests, so none of them can equal one of 0.2.
  const digested = isDigestedIn02(sent)
    ? { ...when, ...digestedIn02(sent) }
    : { ...others, ...when, source, kind, subject_type, subject_id }
  return Object.keys(digested).length === 0 ? subject : `${subject}:${digest(digested)}`
}

function isDigestedIn02(sent: EventInput): boolean {
  const isKnown = (member: string) => DIGESTED_IN_0_2.has(member) || SUBJECT.has(member)
  return Object.keys(sent).every(isKnown) && Object.keys(sent.actor ?? {}).every(member => member === 'id')
}

function digestedIn02({ actor, target, payload }: EventInput): Record<string, unknown> {
  return {
    ...(actor?.id ? { actor_id: actor.id } : {}),
    ...(target ? { target } : {}),
    ...(payload ? { payload } : {}),
  }
}

function digest(digested: Record<string, unknown>): string {
  return createHash('sha256').update(toCanonicalJson(digested)).digest('hex').slice(0, 16)
}

/**
 * JSON with one spelling per value: members sorted by UTF-16 code units, no blanks. `JSON.stringify` already spells
 * strings and numbers as RFC 8785 requires.
 */
export function toCanonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${toCanonicalJson(member)}`).join(',')}}`
}
