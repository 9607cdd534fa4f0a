/** Membership of an organisation, a team or a repository, and blocked users. */
import type { TargetNode } from '../../../model/events/event.js'
import { toNode } from '../../mapping/node.js'
import { idAt, instantAt, objectAt, type Payload, textAt, webUrlAt } from '../../mapping/payload.js'
import type { Hook } from '../hook.js'
import { accountPage } from '../links.js'
import { carrierNode, loginOf, namedBy, ownerNode } from '../target-nodes.js'
import type { DescribedEvent, Description } from './description.js'

function describeOrganization(hook: Hook): Description {
  const membership = objectAt(hook.body, 'membership')
  const invitation = objectAt(hook.body, 'invitation')
  const invited = loginOf(invitation) ?? textAt(invitation, 'email')
  return {
    target: ownerNode(hook),
    occurredAt: hook.nativeAction === 'member_invited' ? instantAt(invitation, 'created_at') : undefined,
    facts: {
      concerned:
        namedBy(objectAt(membership, 'user')) ??
        namedBy(objectAt(hook.body, 'user')) ??
        (invited === undefined ? undefined : { display: invited }),
      role: textAt(membership, 'role') ?? textAt(invitation, 'role'),
      state: textAt(membership, 'state'),
    },
  }
}

/** Membership in a team. */
function describeMembership(hook: Hook, member: Payload | undefined): Description {
  const team = objectAt(hook.body, 'team')
  return {
    ...personIn(hook, member),
    parent: team ? teamNode(hook, team) : undefined,
    facts: { concerned: namedBy(member), team: namedBy(team), role: textAt(hook.body, 'role') },
  }
}

/** Membership in a repository. Only the changes contain the person's permission. */
function describeMember(hook: Hook, member: Payload | undefined): Description {
  const changes = objectAt(hook.body, 'changes')
  const role = objectAt(changes, 'role_name') ?? objectAt(changes, 'permission')
  return { ...personIn(hook, member), facts: { concerned: namedBy(member), role: textAt(role, 'to') } }
}

function describeBlock(hook: Hook, person: Payload | undefined): Description {
  return { ...personIn(hook, person), facts: { concerned: namedBy(person) } }
}

function personIn(hook: Hook, person: Payload | undefined): Description {
  const login = loginOf(person)
  return { display: login, url: webUrlAt(person, 'html_url') ?? accountPage(hook, login) }
}

function teamNode(hook: Hook, team: Payload): TargetNode {
  return toNode('team', {
    id: idAt(team, 'id'),
    display: textAt(team, 'name') ?? textAt(team, 'slug'),
    url: webUrlAt(team, 'html_url'),
    parent: carrierNode(hook),
  })
}

function describeTeam(_: Hook, team: Payload | undefined): Description {
  return { text: textAt(team, 'description'), facts: { team: namedBy(team), role: textAt(team, 'permission') } }
}

export const PEOPLE: Readonly<Record<string, DescribedEvent>> = {
  organization: {
    verbs: ['deleted', 'renamed', 'member_added', 'member_removed', 'member_invited'],
    describe: describeOrganization,
  },
  membership: { verbs: ['added', 'removed'], describe: describeMembership },
  member: { verbs: ['added', 'updated', 'removed'], describe: describeMember },
  org_block: { verbs: ['blocked', 'unblocked'], describe: describeBlock },
  team: {
    verbs: ['created', 'updated', 'deleted', 'added_to_repository', 'removed_from_repository'],
    describe: describeTeam,
  },
  team_add: { verbs: ['added'], describe: describeTeam },
}
