/** Old and new values of an event, as in `action.metadata.changes`. */

import { isObject } from '../../model/json-object.js'
import { shortDigest } from '../mapping/identifiers.js'
import { known, memberOf, objectAt, objectsAt, type Payload, textAt } from '../mapping/payload.js'
import type { Hook } from './hook.js'
import { namedBy } from './target-nodes.js'

/** Absent are missing values, values too long for a sentence, and whole texts; the payload has these. */
interface Change {
  from?: string | number | boolean
  to?: string | number | boolean
}

type Changes = Record<string, Change>

/** Limit in characters. */
const LONGEST_VALUE = 200
/** More than any real number. */
const MOST_CHANGES = 50

/**
 * Reads the `changes` of a delivery.
 *
 * @param object contains the current values, if the changes lack them
 * @returns undefined if nothing has changed
 */
export function changesOf(hook: Hook, object: Payload | undefined): Changes | undefined {
  const changes = objectAt(hook.body, 'changes')
  if (!changes) return undefined
  const found: [string, Change][] = []
  for (const name in changes) {
    if (found.length >= MOST_CHANGES) break
    found.push(...changesAt(hook, { name, change: memberOf(changes, name), object }))
  }
  found.push(...labelChanges(changes))
  return found.length > 0 ? Object.fromEntries(found) : undefined
}

/** @param values names with the values before and after; unchanged ones are omitted */
export function toChanges(values: readonly (readonly [name: string, from: unknown, to: unknown])[]): Changes {
  const changed = values.slice(0, MOST_CHANGES).map(([name, from, to]) => [name, toChange(from, to)] as const)
  return Object.fromEntries(changed.filter(([, { from, to }]) => from !== to))
}

function changesAt(
  { repository }: Hook,
  { name, change, object }: { name: string; change: unknown; object: Payload | undefined },
): [string, Change][] {
  if (!isObject(change)) return []
  if (isChange(change)) {
    // A change to a project field names the field in a member.
    const field = textAt(change, 'field_name') ?? name
    if (field === 'body') return [[field, {}]]
    return [[field, toChange(memberOf(change, 'from'), memberOf(change, 'to') ?? memberOf(object, name))]]
  }
  const whole = name === 'repository' ? repository : objectAt(object, name)
  const parts = Object.entries(change).slice(0, MOST_CHANGES)
  return parts.flatMap(([part, inner]): [string, Change][] => {
    if (!isObject(inner) || !isChange(inner)) return []
    const to = memberOf(inner, 'to') ?? memberOf(whole, part)
    return [[name === 'repository' ? part : `${name}_${part}`, toChange(memberOf(inner, 'from'), to)]]
  })
}

function isChange(change: Payload): boolean {
  return Object.hasOwn(change, 'from') || Object.hasOwn(change, 'to')
}

/** Gitea names the added and removed labels. */
function labelChanges(changes: Payload): [string, Change][] {
  const [gone, come] = ['removed_labels', 'added_labels'].map(name => namesOf(objectsAt(changes, name)))
  return gone === undefined && come === undefined ? [] : [['labels', toChange(gone, come)]]
}

function namesOf(objects: readonly Payload[]): string | undefined {
  return objects.flatMap(object => namedBy(object)?.display ?? []).join(', ') || undefined
}

function toChange(from: unknown, to: unknown): Change {
  return known({ from: toValue(from), to: toValue(to) })
}

function toValue(value: unknown): string | number | boolean | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value === 'string') return value !== '' && value.length <= LONGEST_VALUE ? value : undefined
  if (Array.isArray(value)) return toValue(value.filter(item => typeof item === 'string').join(', '))
  if (!isObject(value)) return undefined
  // An owner is nested under its type; permissions are members that are true.
  const named = namedBy(value) ?? namedBy(objectAt(value, 'user') ?? objectAt(value, 'organization'))
  const granted = Object.keys(value).filter(name => value[name] === true)
  return toValue(named?.display ?? granted.join(', '))
}

/**
 * Distinguishes two edits of one object in one second, the resolution of times. The delivery contains the text after
 * the edit, so a redelivery or a second hook gives the same digest.
 */
export function editedText(object: Payload | undefined): string {
  const words = ['title', 'name', 'body', 'content', 'tag_name'].map(member => textAt(object, member) ?? '')
  const ref = textAt(objectAt(object, 'base'), 'ref') ?? textAt(object, 'ref') ?? ''
  return shortDigest(JSON.stringify([...words, ref]))
}
