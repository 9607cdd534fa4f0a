/** Events about people: their accounts, groups and badges. The actor is usually not sent. */
import { toNode } from '../mapping/node.js'
import { idAt, instantAt, known, numberAt, objectAt, type Payload, textAt } from '../mapping/payload.js'
import { conversationOf, type Hook, IDENTIFIED_BY_BODY, type Mapped, nativeVerbOf, verbOf } from './hook.js'
import { linkTo } from './instance.js'
import { authorOf, describe, displayOf, personAt, personOf } from './person.js'
import { siteNode, userNode } from './target-nodes.js'

/** Actions that only the user can perform. Others may perform the rest. */
const OWN_DOING: ReadonlySet<string> = new Set(['created', 'logged_in', 'logged_out', 'confirmed_email'])

export function mapUser(hook: Hook): Mapped {
  // A promotion may contain only the user's id.
  const user = idAt(hook.object, 'id') === undefined ? authorOf(hook.object) : personOf(hook.object)
  const verb = verbOf(hook, 'user')
  const isActorConcerned = OWN_DOING.has(verb)
  const target = userNode(hook, user)
  return {
    objectType: 'user',
    verb,
    subjectId: user?.id,
    identity: user?.id,
    occurrence: verb === 'created' || verb === 'deleted' ? 'once' : IDENTIFIED_BY_BODY,
    occurredAt: verb === 'created' ? instantAt(hook.object, 'created_at') : undefined,
    target,
    conversation: conversationOf(target),
    actor: isActorConcerned ? user : undefined,
    metadata: known({
      concerned: isActorConcerned ? undefined : describe(user),
      ...(verb === 'promoted' ? promotionOf(hook.object) : {}),
    }),
  }
}

function promotionOf(object: Payload | undefined): Record<string, unknown> {
  const to = numberAt(object, 'new_trust_level') ?? numberAt(object, 'trust_level')
  const from = numberAt(object, 'old_trust_level')
  if (to === undefined) return {}
  return { role: `trust_level_${to}`, changes: { trust_level: known({ from, to }) } }
}

/** `user_added_to_group` and `user_removed_from_group`. Newer forums send the membership's id, which is always new. */
export function mapGroupMember(hook: Hook): Mapped {
  const membership = hook.object
  const verb = verbOf(hook, 'user').replace(/_(?:to|from)_group$/u, '')
  const id = idAt(membership, 'id')
  const user = personAt(membership, 'user')
  const group = idAt(membership, 'group_id')
  const groupName = textAt(membership, 'group_name')
  const groupLink = groupName === undefined ? undefined : linkTo(hook.instance, 'g', groupName)
  const path = group !== undefined && user?.id !== undefined ? `${group}/${user.id}` : undefined
  const target = toNode('group_member', {
    id: path,
    display: displayOf(user),
    nativeType: 'group_user',
    metadata: known({ user: describe(user) }),
    parent: toNode('group', { id: group, display: groupName, url: groupLink, parent: siteNode(hook) }),
  })
  return {
    objectType: 'group_member',
    verb,
    subjectId: user?.id ?? id,
    identity: id ?? path,
    occurrence: id === undefined ? IDENTIFIED_BY_BODY : 'once',
    occurredAt: verb === 'added' ? instantAt(membership, 'created_at') : undefined,
    target,
    conversation: conversationOf(target),
    metadata: known({
      concerned: describe(user),
      team: group === undefined && groupName === undefined ? undefined : known({ id: group, display: groupName }),
    }),
  }
}

/** A revoked badge has neither actor nor time. */
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
    actor: isGrant ? grantedBy : undefined,
    metadata: known({ concerned: describe(personAt(granted, 'user')), badge: textAt(badge, 'name') }),
  }
}
