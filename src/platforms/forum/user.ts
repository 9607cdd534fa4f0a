/** What happens to people: their accounts, their groups, their badges. Who did it is mostly not told. */
import { toNode } from '../node.js'
import { idAt, instantAt, known, objectAt, textAt } from '../payload.js'
import { conversationOf } from './conversation.js'
import { type Hook, type Mapped, nativeVerbOf, TOLD_BY_BODY, verbOf } from './hook.js'
import { linkTo } from './instance.js'
import { siteNode, userNode } from './nodes.js'
import { describe, displayOf, personAt, personOf } from './person.js'

/** What only the user can do; everything else may be done by somebody else as well. */
const OWN_DOING: ReadonlySet<string> = new Set(['created', 'logged_in', 'logged_out', 'confirmed_email'])

export function mapUser(hook: Hook): Mapped {
  const user = personOf(hook.object)
  const verb = verbOf(hook, 'user')
  const target = userNode(hook, user)
  return {
    objectType: 'user',
    verb,
    subjectId: user?.id,
    identity: user?.id,
    occurrence: verb === 'created' || verb === 'deleted' ? 'once' : TOLD_BY_BODY,
    occurredAt: verb === 'created' ? instantAt(hook.object, 'created_at') : undefined,
    target,
    conversation: conversationOf(target),
    doer: OWN_DOING.has(verb) ? user : undefined,
  }
}

/** `user_added_to_group` and `user_removed_from_group`. Newer forums tell the id of the membership, each has a new one. */
export function mapGroupMember(hook: Hook): Mapped {
  const membership = hook.object
  const verb = verbOf(hook, 'user').replace(/_(?:to|from)_group$/u, '')
  const id = idAt(membership, 'id')
  const user = personAt(membership, 'user')
  const group = idAt(membership, 'group_id')
  const path = group !== undefined && user?.id !== undefined ? `${group}/${user.id}` : undefined
  const target = toNode('group_member', {
    id: path,
    display: displayOf(user),
    nativeType: 'group_user',
    metadata: known({ user: describe(user) }),
    parent: toNode('group', { id: group, display: textAt(membership, 'group_name'), parent: siteNode(hook) }),
  })
  return {
    objectType: 'group_member',
    verb,
    subjectId: user?.id ?? id,
    identity: id ?? path,
    occurrence: id === undefined ? TOLD_BY_BODY : 'once',
    occurredAt: verb === 'added' ? instantAt(membership, 'created_at') : undefined,
    target,
    conversation: conversationOf(target),
  }
}

/** A badge is taken back by somebody who is not told, at a time that is not told. */
export function mapBadge(hook: Hook): Mapped {
  const granted = hook.object
  const verb = nativeVerbOf(hook, 'user_badge')
  const id = idAt(granted, 'id')
  const badge = objectAt(granted, 'badge')
  const badgeId = idAt(badge, 'id') ?? idAt(granted, 'badge_id')
  const grantedBy = personAt(granted, 'granted_by')
  const isGrant = verb === 'granted'
  const target = toNode('badge', {
    id: badgeId,
    display: textAt(badge, 'name'),
    url: badgeId === undefined ? undefined : linkTo(hook.instance, 'badges', badgeId),
    metadata: known({ granted_by: describe(grantedBy) }),
    parent: userNode(hook, personAt(granted, 'user')),
  })
  return {
    objectType: 'badge',
    verb,
    subjectId: id,
    identity: id,
    occurrence: 'once',
    occurredAt: isGrant ? instantAt(granted, 'granted_at') : undefined,
    target,
    conversation: conversationOf(target),
    doer: isGrant ? grantedBy : undefined,
  }
}
