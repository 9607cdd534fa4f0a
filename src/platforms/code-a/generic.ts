/** Every event that has no row of its own: kept under the platform's own words, as far as they can be read. */
import type { TargetNode } from '../../model/event.js'
import { toWord } from '../identity.js'
import { toNode } from '../node.js'
import { firstInstantAt, idAt, objectAt, type Payload, textAt, webUrlAt } from '../payload.js'
import { conversationOf } from './conversation.js'
import { type Hook, type Mapped, verbOf } from './hook.js'
import { carrierNode, loginOf, ownerNode, pathInRepository, repositoryId } from './nodes.js'

/** Where an event is not like the others. */
interface Peculiarity {
  /** Name of its object, which mostly is that of the event, or the end of it (`…_alert`). */
  object?: string
  /** The object stays as it is, so its last change is not the time of the event. */
  objectUnchanged?: true
  /** The other one of two objects that the event ties together or parts. */
  other?: string
  /** What it says that happened, where it names no action. */
  verb?: string
}

const PECULIAR: ReadonlyMap<string, Peculiarity> = new Map<string, Peculiarity>([
  ['deployment_protection_rule', { object: 'deployment', objectUnchanged: true }],
  ['deployment_review', { object: 'workflow_run', objectUnchanged: true }],
  ['github_app_authorization', { object: 'sender', objectUnchanged: true }],
  ['installation_repositories', { object: 'installation', objectUnchanged: true }],
  ['installation_target', { object: 'account' }],
  ['issue_dependencies', { object: 'blocked_issue', other: 'blocking_issue' }],
  ['membership', { object: 'member' }],
  ['meta', { object: 'hook' }],
  ['org_block', { object: 'blocked_user' }],
  ['security_and_analysis', { verb: 'updated' }],
  ['sub_issues', { object: 'sub_issue', other: 'parent_issue' }],
  ['team_add', { object: 'team', verb: 'added' }],
  ['workflow_dispatch', { verb: 'created' }],
])

/** Actions whose time is not named like them. */
const TIME_NAMED: ReadonlyMap<string, string> = new Map([['closed_by_user', 'dismissed_at']])

export function mapGeneric(hook: Hook): Mapped {
  const objectType = toWord(hook.name) ?? 'event'
  const object = likeNamed(hook)
  const verb = genericVerb(hook)
  const identity = genericId(hook, object)
  const occurredAt = genericTime(hook, object, verb)
  const target = genericTarget(hook, { objectType, object, identity })
  return {
    objectType,
    verb,
    subjectId: identity ?? repositoryId(hook) ?? idAt(objectAt(hook.body, 'organization'), 'id'),
    identity,
    occurrence: verb === 'created' || verb === 'deleted' ? 'once' : [...otherOf(hook), occurredAt],
    occurredAt,
    target,
    conversation: conversationOf(hook, target, {
      text: textAt(object, 'body') ?? textAt(object, 'description'),
    }),
    written: object,
  }
}

/** `dependabot_alert` → `dependabot_alert`, else `alert`. */
function likeNamed({ name, body }: Hook): Payload | undefined {
  const words = (PECULIAR.get(name)?.object ?? name).split('_')
  // Event names have a handful of words; what has more was not sent by a platform.
  for (let from = 0; from < Math.min(words.length, 8); from++) {
    const object = objectAt(body, words.slice(from).join('_'))
    if (object) return object
  }
  return undefined
}

/** @returns nothing for an event about one object */
function otherOf({ name, body }: Hook): [id?: string | undefined] {
  const other = PECULIAR.get(name)?.other
  return other === undefined ? [] : [idAt(objectAt(body, other), 'id')]
}

/** A milestone is `created` first, and `opened` after it was closed. */
function genericVerb(hook: Hook): string {
  if (hook.name === 'milestone' && hook.nativeAction === 'opened') return 'reopened'
  const status = hook.name === 'repository_import' ? toWord(textAt(hook.body, 'status')) : undefined
  return verbOf(hook, status ?? PECULIAR.get(hook.name)?.verb)
}

function genericId(hook: Hook, object: Payload | undefined): string | undefined {
  const id = idAt(object, 'id') ?? idAt(object, 'node_id') ?? idAt(object, 'ghsa_id') ?? idAt(object, 'head_sha')
  // A purchase is known by who made it.
  return id ?? pathInRepository(hook, idAt(object, 'number')) ?? idAt(objectAt(object, 'account'), 'id')
}

/**
 * The time that is named for the action (`dismissed_at`), else that of the last change; a deletion has only its own.
 * Where an event has no object it tells its time itself.
 */
function genericTime(hook: Hook, object: Payload | undefined, verb: string): string | undefined {
  if (PECULIAR.get(hook.name)?.objectUnchanged) return undefined
  const action = hook.nativeAction ?? verb
  const named = [...new Set([TIME_NAMED.get(action) ?? `${action}_at`, `${verb}_at`])]
  return firstInstantAt(
    object ?? hook.body,
    verb === 'created' || verb === 'deleted' ? named : [...named, 'updated_at'],
  )
}

function genericTarget(
  hook: Hook,
  { objectType, object, identity }: { objectType: string; object: Payload | undefined; identity: string | undefined },
): TargetNode {
  const carrier = carrierNode(hook)
  if (object !== undefined && object === hook.repository) return carrier ?? toNode(objectType, {})
  if (objectType === 'organization') return ownerNode(hook) ?? toNode(objectType, {})
  if (object === undefined) return carrier ?? toNode(objectType, {})
  const title = textAt(object, 'title') ?? textAt(object, 'name') ?? loginOf(object)
  const number = idAt(object, 'number')
  return toNode(objectType, {
    id: identity,
    display: number === undefined ? title : `#${number}${title === undefined ? '' : ` ${title}`}`,
    url: webUrlAt(object, 'html_url'),
    parent: carrier,
  })
}
