import { Compile } from '#typebox/compile'
import { refusedInput } from '../model/app-error.js'
import { type Action, type EventInput, EventSchema, LEDGER_MEMBERS, type NewEvent } from '../model/event.js'
import { EVENT_LIMITS } from '../model/event-limits.js'
import { toFieldProblems } from '../model/field-problems.js'
import { readTimestamp } from '../model/timestamp.js'
import { defaultDedupeKey } from './dedupe-key.js'

const check = Compile(EventSchema)

/** How a stored event reads: its identity first, then who did what, then what was sent, then members nobody knows. */
const MEMBERS_IN_ORDER: Record<keyof NewEvent, undefined> = {
  dedupe_key: undefined,
  source: undefined,
  kind: undefined,
  subject_id: undefined,
  subject_type: undefined,
  occurred_at: undefined,
  action: undefined,
  actor: undefined,
  actor_role: undefined,
  target: undefined,
  conversation: undefined,
  payload: undefined,
}

/**
 * Reads an event as somebody sent it and fills in what is not there. A client that sends only `kind`, `subject_id` and
 * `subject_type` is understood. Members that nobody knows are kept; values for the ledger's own members are ignored.
 *
 * @param input parsed JSON
 * @throws AppError `invalid/invalid_field` with every refused field in `errors`, `invalid/invalid_timestamp`
 *
 * Source: Event Ledger Service, "Event (normalized)" and "Versioning".
 */
export function readEvent(input: unknown): NewEvent {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw refusedInput('The event', [{ field: '', detail: 'An event must be a JSON object.' }])
  }
  if (deeperThan(input, EVENT_LIMITS.depth)) {
    throw refusedInput('The event', [
      { field: '', detail: `The event is nested deeper than ${EVENT_LIMITS.depth} levels.` },
    ])
  }
  const sent = withoutLedgerMembers(input as Record<string, unknown>)
  if (!check.Check(sent)) throw refusedInput('The event', toFieldProblems(check.Errors(sent), sent))

  const occurredAt = sent.occurred_at == null ? null : readTimestamp('/occurred_at', sent.occurred_at).text
  const source = sent.source ?? 'api'
  const { kind, subject_id, subject_type } = sent
  return {
    ...MEMBERS_IN_ORDER,
    ...sent,
    dedupe_key: sent.dedupe_key ?? defaultDedupeKey({ ...sent, source, occurred_at: occurredAt }),
    kind,
    subject_id,
    subject_type,
    action: completeAction(sent),
    actor: {
      ...sent.actor,
      id: sent.actor?.id ?? '',
      display: sent.actor?.display ?? '',
      metadata: { ...sent.actor?.metadata },
    },
    actor_role: sent.actor_role ?? '',
    target: (sent.target as NewEvent['target'] | undefined) ?? {
      type: subject_type,
      key: `${subject_type}:${subject_id}`,
    },
    conversation: (sent.conversation as NewEvent['conversation'] | undefined) ?? {},
    source,
    occurred_at: occurredAt,
    payload: (sent.payload as NewEvent['payload'] | undefined) ?? {},
  }
}

/** `message.created` is a message that was created; a kind without a dot is a verb of its own. */
function completeAction({ kind, subject_type, action }: EventInput): Action {
  const dot = kind.lastIndexOf('.')
  return {
    ...action,
    kind: action?.kind ?? kind,
    object_type: action?.object_type ?? (dot > 0 ? kind.slice(0, dot) : subject_type),
    verb: action?.verb ?? kind.slice(dot + 1),
    metadata: { ...action?.metadata },
  }
}

function withoutLedgerMembers(input: Record<string, unknown>): Record<string, unknown> {
  const sent = { ...input }
  for (const member of LEDGER_MEMBERS) delete sent[member]
  return sent
}

/** @param value parsed JSON, so that it has no members but its own */
function deeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const member in value) if (deeperThan(value[member as keyof typeof value], levels - 1)) return true
  return false
}
