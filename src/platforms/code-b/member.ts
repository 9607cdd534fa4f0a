/** Who belongs to a group or project. These events name the person concerned, never who decided. */
import { toWord } from '../identity.js'
import { toNode } from '../node.js'
import { idAt, known, type Payload, textAt } from '../payload.js'
import { conversationOf, type Hook, type Mapped } from './hook.js'
import { carrierNode, projectId } from './nodes.js'
import { firstTimeAt } from './time.js'

export type MemberVerb = 'added' | 'updated' | 'removed' | 'requested' | 'denied'

/**
 * A request that is turned down is `revoked` in system hooks and `denied` in group hooks; teams are the older word for
 * the members of a project.
 */
export const MEMBER_EVENTS: ReadonlyMap<string, MemberVerb> = new Map([
  ['user_add_to_group', 'added'],
  ['user_update_for_group', 'updated'],
  ['user_remove_from_group', 'removed'],
  ['user_access_request_to_group', 'requested'],
  ['user_access_request_denied_for_group', 'denied'],
  ['user_access_request_revoked_for_group', 'denied'],
  ['user_add_to_team', 'added'],
  ['user_update_for_team', 'updated'],
  ['user_remove_from_team', 'removed'],
  ['user_access_request_to_project', 'requested'],
  ['user_access_request_denied_for_project', 'denied'],
  ['user_access_request_revoked_for_project', 'denied'],
])

export function mapMember(verb: MemberVerb): (hook: Hook) => Mapped {
  return hook => {
    const { body, group, project } = hook
    const userId = idAt(body, 'user_id')
    const place = project ? named('project', projectId(project)) : named('group', group?.id)
    const identity = place === undefined || userId === undefined ? undefined : `${place}/${userId}`
    const carrier = carrierNode(hook)
    const target = toNode('member', {
      id: identity,
      display: textAt(body, 'user_username') ?? textAt(body, 'user_name'),
      metadata: known({
        user_id: userId,
        name: textAt(body, 'user_name'),
        email: textAt(body, 'user_email'),
        role: accessLevelOf(body),
        expires_at: textAt(body, 'expires_at'),
      }),
      parent: carrier,
    })
    return {
      objectType: 'member',
      verb,
      subjectId: userId,
      identity,
      occurrence: [firstTimeAt(body, ['updated_at', 'created_at'])],
      occurredAt: firstTimeAt(body, [verb === 'added' ? 'created_at' : 'updated_at']),
      target,
      conversation: conversationOf(hook, carrier, {}),
      metadata: known({ role: accessLevelOf(body) }),
    }
  }
}

function named(kind: string, id: string | undefined): string | undefined {
  return id === undefined ? undefined : `${kind}/${id}`
}

const ACCESS_LEVELS: ReadonlyMap<string, string> = new Map([
  ['10', 'guest'],
  ['15', 'planner'],
  ['20', 'reporter'],
  ['30', 'developer'],
  ['40', 'maintainer'],
  ['50', 'owner'],
])

/** A word in lower case, whichever of the two ways it was told. */
function accessLevelOf(body: Payload): string | undefined {
  const told = idAt(body, 'group_access') ?? idAt(body, 'access_level')
  return ACCESS_LEVELS.get(told ?? '') ?? toWord(told)
}
