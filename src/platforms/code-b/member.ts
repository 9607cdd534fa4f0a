/** Membership of groups and projects. These events name the person affected, never the actor. */
import { toWord } from '../mapping/identifiers.js'
import { toNode } from '../mapping/node.js'
import { idAt, known, type Payload, textAt } from '../mapping/payload.js'
import { toOutcome } from '../mapping/words.js'
import { actorById } from './actor.js'
import { conversationOf, type Hook, type Mapped, verbOf } from './hook.js'
import { carrierNode, groupNode, instanceNode, projectId } from './target-nodes.js'
import { firstTimeAt, timeAt } from './time.js'

type MemberVerb = 'added' | 'updated' | 'removed' | 'requested' | 'denied'

/**
 * A refused request is `revoked` in system hooks and `denied` in group hooks; team is the older word for a project's
 * members.
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
      occurredAt: memberTime(body, verb),
      target,
      conversation: conversationOf(hook, carrier, {}),
      metadata: known({
        role: accessLevelOf(body),
        concerned: concernedOf(body),
        team: project ? undefined : teamOf(hook),
      }),
    }
  }
}

/**
 * The time of this action. A removal and a refused request delete the membership: `updated_at` is that of its last edit,
 * or of the request.
 */
function memberTime(body: Payload, verb: MemberVerb): string | undefined {
  if (verb === 'removed' || verb === 'denied') return undefined
  return timeAt(body, verb === 'added' ? 'created_at' : 'updated_at')
}

/** The member, who may differ from the actor. */
function concernedOf(body: Payload): { id?: string; display?: string } {
  return known({
    id: idAt(body, 'user_id'),
    display: textAt(body, 'user_username') ?? textAt(body, 'user_name'),
  })
}

function teamOf({ body, group }: Hook): { id?: string; display?: string } | undefined {
  return group && known({ id: group.id, display: textAt(body, 'group_name') ?? group.path })
}

/**
 * An administrator must approve roles that take a paid seat. The request and the decision each have an event. The
 * platform sends only the ids of people.
 *
 * Source: GitLab, "System hooks", subscription member approval.
 */
export function mapMemberApproval(hook: Hook): Mapped {
  const { attributes, body } = hook
  const verb = verbOf(hook)
  const [from, to] = [roleOf(attributes, 'old_access_level'), roleOf(attributes, 'new_access_level')]
  const userId = idAt(body, 'user_id')
  const namespace = idAt(body, 'promotion_namespace_id')
  const group =
    namespace === undefined ? undefined : { id: namespace, path: undefined, url: undefined, parent: undefined }
  const carrier = groupNode(group) ?? instanceNode(hook)
  const occurredAt = firstTimeAt(body, [`${verb}_at`, 'updated_at'])
  const failed = textAt(attributes, 'status') === 'failed'
  const deciderId = idAt(body, 'reviewed_by_user_id') ?? idAt(body, 'requested_by_user_id')
  return {
    objectType: 'member_approval',
    // Earlier releases used this type. It stays, so that a redelivery counts as a repeat.
    keyType: toWord(hook.name) ?? 'member_approval',
    verb,
    subjectId: userId,
    identity: undefined,
    occurrence: [undefined],
    occurredAt,
    outcome: failed ? 'failed' : toOutcome(verb),
    target: toNode('member_approval', {
      display: to === undefined ? 'role that takes a seat' : `role ${to}`,
      metadata: known({ user_id: userId, role: to }),
      parent: carrier,
    }),
    conversation: conversationOf(hook, carrier, {}),
    ...(deciderId === undefined ? {} : { actor: actorById(deciderId) }),
    metadata: known({
      concerned: userId === undefined ? undefined : { id: userId },
      role: to,
      changes: from === undefined && to === undefined ? undefined : { role: known({ from, to }) },
      state: textAt(attributes, 'status'),
    }),
  }
}

function roleOf(attributes: Payload | undefined, name: string): string | undefined {
  const sent = idAt(attributes, name)
  return ACCESS_LEVELS.get(sent ?? '') ?? toWord(sent)
}

function named(kind: string, id: string | undefined): string | undefined {
  return id === undefined ? undefined : `${kind}/${id}`
}

const ACCESS_LEVELS: ReadonlyMap<string, string> = new Map([
  ['10', 'guest'],
  ['15', 'planner'],
  ['20', 'reporter'],
  ['25', 'security_manager'],
  ['30', 'developer'],
  ['40', 'maintainer'],
  ['50', 'owner'],
])

/** A word in lower case, from either of its two forms. */
function accessLevelOf(body: Payload): string | undefined {
  return roleOf(body, 'group_access') ?? roleOf(body, 'access_level')
}
