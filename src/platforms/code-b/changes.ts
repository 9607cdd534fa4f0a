/** What an update changed, as its `changes` tells. */
import { idAt, objectAt, objectsAt, type Payload } from '../payload.js'

/** Every change brings these along. */
const ATTENDANT: ReadonlySet<string> = new Set(['updated_at', 'updated_by_id', 'last_edited_at', 'last_edited_by_id'])

/** More than anything has. */
const MOST_MEMBERS = 100

/** Names of the members that changed, in alphabetical order. */
export function changedMembers(body: Payload): string[] {
  const changed: string[] = []
  for (const name in objectAt(body, 'changes')) {
    if (changed.length === MOST_MEMBERS) break
    if (!ATTENDANT.has(name)) changed.push(name)
  }
  return changed.sort()
}

/**
 * Tells two updates apart that fall into one second, which is all that many times tell: what changed, and to which
 * labels or people. No values: texts can be edited, and some may not be kept in keys.
 *
 * @returns nothing where the payload tells no changes
 */
export function changeParts(body: Payload): string[] {
  const changes = objectAt(body, 'changes')
  const parts = changedMembers(body).map(name => {
    const ids = objectsAt(objectAt(changes, name), 'current').flatMap(object => idAt(object, 'id') ?? [])
    return ids.length > 0 ? `${name}=${ids.sort().join('.')}` : name
  })
  return parts.length > 0 ? [parts.join(',')] : []
}
