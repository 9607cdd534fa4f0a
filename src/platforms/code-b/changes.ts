/** The changes of an update, from its `changes`. */
import { shortDigest } from '../mapping/identifiers.js'
import { idAt, known, memberOf, objectAt, objectsAt, type Payload, textAt } from '../mapping/payload.js'

/** Members that are part of every change. */
const ATTENDANT: ReadonlySet<string> = new Set(['updated_at', 'updated_by_id', 'last_edited_at', 'last_edited_by_id'])

/** More than any real number. */
const MOST_MEMBERS = 100

/** Names of the changed members, in alphabetical order. */
export function changedMembers(body: Payload): string[] {
  const changed: string[] = []
  for (const name in objectAt(body, 'changes')) {
    if (changed.length === MOST_MEMBERS) break
    if (!ATTENDANT.has(name)) changed.push(name)
  }
  return changed.sort()
}

/**
 * Distinguishes two updates in one second, the resolution of many times: the changed members, with the new labels or
 * people, or with a digest of the new text.
 *
 * @returns an empty list if the payload has no changes
 */
export function changeParts(body: Payload): string[] {
  const changes = objectAt(body, 'changes')
  const parts = changedMembers(body).map(name => {
    const ids = objectsAt(objectAt(changes, name), 'current').flatMap(object => idAt(object, 'id') ?? [])
    return ids.length > 0 ? `${name}=${ids.sort().join('.')}` : name
  })
  const texts = TEXTS.flatMap(name => textAt(objectAt(changes, name), 'current') ?? [])
  const digest = texts.length > 0 ? [shortDigest(texts.join('\0'))] : []
  return parts.length > 0 ? [parts.join(','), ...digest] : []
}

const TEXTS = ['title', 'description'] as const

/** Limit for a sentence, in characters. Longer texts remain in the payload. */
const LONGEST_VALUE = 200
const MOST_NAMES = 20

/** Old and new value of every changed member. Labels and people by name; long texts are omitted. */
export function changesOf(body: Payload): Record<string, { from?: unknown; to?: unknown }> | undefined {
  const changes = objectAt(body, 'changes')
  const shown = changedMembers(body).map(name => {
    const change = objectAt(changes, name)
    return [name, known({ from: shownValue(change, 'previous'), to: shownValue(change, 'current') })] as const
  })
  return shown.length > 0 ? Object.fromEntries(shown) : undefined
}

function shownValue(change: Payload | undefined, name: string): unknown {
  const value = memberOf(change, name)
  if (Array.isArray(value)) return namesIn(objectsAt(change, name))
  const isShort = typeof value === 'string' ? value.length <= LONGEST_VALUE : typeof value !== 'object'
  return isShort ? value : undefined
}

function namesIn(objects: readonly Payload[]): string[] {
  return objects.slice(0, MOST_NAMES).flatMap(object => nameOf(object) ?? [])
}

function nameOf(object: Payload): string | undefined {
  return textAt(object, 'title') ?? textAt(object, 'username') ?? textAt(object, 'name')
}

/** Members of `changes` that are lists, and the shared name of an added element. */
const ADDED = [
  ['labels', 'label'],
  ['assignees', 'assignee'],
  ['reviewers', 'reviewer'],
] as const

/** The one added label, assignee or reviewer. */
export function addedOf(body: Payload): Record<string, unknown> {
  const changes = objectAt(body, 'changes')
  return Object.fromEntries(
    ADDED.flatMap(([member, name]) => {
      const change = objectAt(changes, member)
      const before = objectsAt(change, 'previous').map(object => idAt(object, 'id'))
      const [added, ...others] = objectsAt(change, 'current').filter(object => !before.includes(idAt(object, 'id')))
      if (!added || others.length > 0) return []
      const display = nameOf(added)
      return [[name, name === 'label' ? display : known({ id: idAt(added, 'id'), display })]]
    }),
  )
}
