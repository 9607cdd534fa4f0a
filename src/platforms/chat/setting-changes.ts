/**
 * The changes in an event about the organisation, a stream, a group or a person, in members shared by all platforms.
 */
import { idAt, known, memberOf, objectAt, type Payload, textAt } from '../mapping/payload.js'
import { ROLES } from './person.js'

type Changes = Record<string, { from?: unknown; to?: unknown }>

/** Limit for a sentence, in characters. Longer values remain in the payload. */
const LONGEST_VALUE = 200
const MOST_CHANGES = 50

/** Members that identify the changed object rather than the change. */
const IDENTIFYING: ReadonlySet<string> = new Set(['user_id', 'id', 'email', 'bot_type', 'owner_id'])

/**
 * `property` and `value`, a dictionary `data`, or the members of the changed object; undefined if nothing changed. Only
 * a stream's name comes with its old value.
 *
 * @param object contains the new values if neither is sent, such as a `person`
 */
export function settingChanges(body: Payload, object: Payload | undefined): Changes | undefined {
  const property = textAt(body, 'property')
  const data = objectAt(body, 'data')
  if (data) return toChanges(data)
  if (property !== undefined && Object.hasOwn(body, 'value')) {
    const from = property === 'name' ? textAt(body, 'name') : undefined
    return { [property]: known({ from, to: shown(property, memberOf(body, 'value')) }) }
  }
  return object && toChanges(object)
}

function toChanges(values: Payload): Changes | undefined {
  const changes: Changes = {}
  for (const name of Object.keys(values).slice(0, MOST_CHANGES)) {
    if (!IDENTIFYING.has(name)) changes[name] = known({ to: shown(name, memberOf(values, name)) })
  }
  return Object.keys(changes).length > 0 ? changes : undefined
}

function shown(name: string, value: unknown): unknown {
  if (name === 'role') return ROLES.get(value) ?? value
  const isShort = typeof value === 'string' ? value.length <= LONGEST_VALUE : typeof value !== 'object'
  return isShort ? value : undefined
}

/** The affected person, who may differ from the actor. */
export function concernedPerson(
  body: Payload,
  object: Payload | undefined,
): { id: string; display?: string } | undefined {
  const listed = memberOf(body, 'user_ids')
  const only = Array.isArray(listed) && listed.length === 1 ? idAt({ id: listed[0] }, 'id') : undefined
  const id = idAt(object, 'user_id') ?? idAt(body, 'user_id') ?? only
  return id === undefined ? undefined : { id, ...known({ display: textAt(object, 'full_name') }) }
}
