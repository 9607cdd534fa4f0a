import { type AppError, invalidField, joinRefusals, refusedInput } from '../model/app-error.js'
import { actionOfKind } from '../model/events/action.js'
import {
  type Action,
  type Actor,
  type EventInput,
  EventSchema,
  LEDGER_MEMBERS,
  type NewEvent,
} from '../model/events/event.js'
import { EVENT_LIMITS, UNVERIFIED_KEYS } from '../model/events/event-limits.js'
import { toFieldProblems } from '../model/field-problems.js'
import { isDeeperThan, JSON_DEPTH } from '../model/json-depth.js'
import { readObject } from '../model/json-object.js'
import { schemaCheck } from '../model/schema-check.js'
import { findTimestamp, timestampRefusals } from '../model/timestamp.js'
import { defaultDedupeKey } from './default-dedupe-key.js'

const check = schemaCheck(EventSchema)

/**
 * Reads an event as sent and fills in missing members. A client that sends only `kind`, `subject_id` and `subject_type`
 * is accepted. Unknown members are kept; values for the ledger's own members are ignored.
 *
 * @param input parsed JSON
 * @param keyCharacters maximum length of the dedupe key
 * @param describes false: a wrong event is refused without its fields
 * @throws AppError `invalid/invalid_json` if it is not an object, `invalid/invalid_field` with every refused field in
 *   `errors`, `invalid/invalid_timestamp`
 *
 * Source: Event Ledger Service, "Event (normalized)" and "Versioning".
 */
export function readEvent(
  input: unknown,
  {
    keyCharacters = EVENT_LIMITS.dedupeKeyCharacters,
    describes = true,
  }: { keyCharacters?: number; describes?: boolean } = {},
): NewEvent {
  const members = readObject(input, 'An event')
  if (isDeeperThan(members, JSON_DEPTH)) {
    throw refusedInput('The event', [{ field: '', detail: `The event is nested deeper than ${JSON_DEPTH} levels.` }])
  }
  const sent = withoutLedgerMembers(members)
  if (!check.Check(sent)) {
    if (!describes)
      throw invalidField('', 'This event is wrong too. The problems of the first wrong ones are described.')
    const refusal = refusedInput('The event', toFieldProblems(check.Errors(sent), sent))
    throw joinRefusals([refusal, ...timestampRefusals('/occurred_at', sent.occurred_at)])
  }

  const occurredAt = findTimestamp(sent.occurred_at)?.text ?? null
  const { source: _, dedupe_key, occurred_at, kind, subject_id, subject_type, ...rest } = sent
  const source = sent.source ?? 'api'
  const dedupeKey = dedupe_key ?? defaultDedupeKey(sent, { source, occurredAt })
  const keyRefusal = findKeyRefusal(dedupeKey, sent, keyCharacters)
  if (keyRefusal || (occurredAt === null && sent.occurred_at != null)) {
    const ofTime = timestampRefusals('/occurred_at', sent.occurred_at)
    throw joinRefusals(keyRefusal ? [...ofTime, keyRefusal] : ofTime)
  }
  const { action, actor, actor_role, target, conversation, payload, ...unknown } = rest
  // Identity first, then who did what, then what was sent. Known members are in the literal: V8 builds an object slowly
  // when a spread comes before them.
  return {
    dedupe_key: dedupeKey,
    source,
    kind,
    subject_id,
    subject_type,
    occurred_at: occurredAt,
    action: completeAction(sent),
    actor: completeActor(actor),
    actor_role: actor_role ?? '',
    target: (target as NewEvent['target'] | undefined) ?? { type: subject_type, key: `${subject_type}:${subject_id}` },
    conversation: (conversation as NewEvent['conversation'] | undefined) ?? {},
    payload: (payload as NewEvent['payload'] | undefined) ?? {},
    ...unknown,
  }
}

function findKeyRefusal(key: string, { dedupe_key }: EventInput, most: number): AppError | undefined {
  const characters = key.length > most ? [...key].length : key.length
  if (characters > most) {
    const detail =
      dedupe_key === undefined
        ? `/dedupe_key would have ${characters} characters, made from source, kind and subject. Send one of at most ${most}.`
        : `/dedupe_key has ${characters} characters. Without credentials it may have ${most} at most.`
    return invalidField('/dedupe_key', detail)
  }
  if (!key.startsWith(UNVERIFIED_KEYS)) return undefined
  const reason = `The ledger keeps what begins with "${UNVERIFIED_KEYS}" for callers without credentials.`
  return dedupe_key === undefined
    ? invalidField('/source', `/source must not be "unverified". ${reason}`)
    : invalidField('/dedupe_key', `/dedupe_key must not begin with "${UNVERIFIED_KEYS}". ${reason}`)
}

function completeAction({ kind, subject_type, action }: EventInput): Action {
  const ofKind = actionOfKind(kind)
  const { kind: named, object_type, verb, metadata, ...unknown } = action ?? {}
  return {
    kind: named ?? kind,
    object_type: object_type ?? (ofKind.object_type || subject_type),
    verb: verb ?? ofKind.verb,
    metadata: (metadata as Action['metadata'] | undefined) ?? {},
    ...unknown,
  }
}

function completeActor(actor: EventInput['actor']): Actor {
  const { id, display, metadata, ...unknown } = actor ?? {}
  return {
    id: id ?? '',
    display: display ?? '',
    metadata: (metadata as Actor['metadata'] | undefined) ?? {},
    ...unknown,
  }
}

function withoutLedgerMembers(input: Record<string, unknown>): Record<string, unknown> {
  if (!LEDGER_MEMBERS.some(member => Object.hasOwn(input, member))) return input
  const sent = { ...input }
  for (const member of LEDGER_MEMBERS) delete sent[member]
  return sent
}
