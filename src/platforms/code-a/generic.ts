/**
 * Every event without a mapping of its own: recorded under the platform's own names, as far as readable. Known events have
 * a description of their subject. This file reads the identity of all.
 */
import type { TargetNode } from '../../model/events/event.js'
import { shortDigest, toWord } from '../mapping/identifiers.js'
import { toNode } from '../mapping/node.js'
import { firstInstantAt, idAt, known, objectAt, type Payload, textAt, webUrlAt } from '../mapping/payload.js'
import type { Describe, Description } from './described/description.js'
import { conversationOf, type Hook, type Mapped, verbOf } from './hook.js'
import { carrierNode, loginOf, ownerNode, pathInRepository, repositoryId } from './target-nodes.js'

/** How an event differs from the usual form. */
interface Peculiarity {
  /** Name of its object. Default: the event's name, or the end of it (`…_alert`). */
  object?: string
  /** The object stays unchanged, so its last change is not the time of the event. */
  objectUnchanged?: true
  /** The second of two objects that the event links or unlinks. */
  other?: string
  /** The verb, for an event without an action. */
  verb?: string
}

const PECULIAR: ReadonlyMap<string, Peculiarity> = new Map<string, Peculiarity>([
  // Not the enterprise: its last change is not the time of the event.
  ['custom_property_promoted_to_enterprise', { object: 'definition' }],
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

/** Actions whose time member has another name. */
const TIME_NAMED: ReadonlyMap<string, string> = new Map([['closed_by_user', 'dismissed_at']])

export function mapDescribed(describe: Describe): (hook: Hook) => Mapped {
  return hook => mapGeneric(hook, describe)
}

export function mapGeneric(hook: Hook, describe?: Describe): Mapped {
  const objectType = toWord(hook.name) ?? 'event'
  const object = likeNamed(hook)
  const verb = genericVerb(hook)
  const identity = genericId(hook, object)
  const occurredAt = genericTime(hook, object, verb)
  const described = describe?.(hook, object) ?? {}
  const target = described.target ?? genericTarget(hook, { objectType, object, identity, described })
  return {
    objectType,
    verb,
    subjectId: identity ?? described.subjectId ?? repositoryId(hook) ?? idAt(objectAt(hook.body, 'organization'), 'id'),
    identity,
    occurrence:
      verb === 'created' || verb === 'deleted' ? 'once' : [...otherOf(hook), occurredAt, ...fieldsOfItem(hook, verb)],
    outcome: described.outcome,
    occurredAt: described.occurredAt ?? occurredAt,
    target,
    conversation: conversationOf(hook, target, {
      text: described.text ?? textAt(object, 'body') ?? textAt(object, 'description'),
    }),
    written: object,
    metadata: known(described.facts ?? {}),
  }
}

/** `dependabot_alert` → `dependabot_alert`, else `alert`. */
function likeNamed({ name, body }: Hook): Payload | undefined {
  const words = (PECULIAR.get(name)?.object ?? name).split('_')
  // Event names consist of a few words. Longer ones do not come from a platform.
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

/** Fields of a project item are set one by one, several in one second, and the item's time may not change. */
function fieldsOfItem({ name, body }: Hook, verb: string): string[] {
  const changes = name === 'projects_v2_item' && verb === 'updated' ? objectAt(body, 'changes') : undefined
  return changes ? [shortDigest(JSON.stringify(changes))] : []
}

/** A milestone is `created` first, and `opened` when reopened. */
function genericVerb(hook: Hook): string {
  if (hook.name === 'milestone' && hook.nativeAction === 'opened') return 'reopened'
  const status = hook.name === 'repository_import' ? toWord(textAt(hook.body, 'status')) : undefined
  return verbOf(hook, status ?? PECULIAR.get(hook.name)?.verb)
}

function genericId(hook: Hook, object: Payload | undefined): string | undefined {
  const id = idAt(object, 'id') ?? idAt(object, 'node_id') ?? idAt(object, 'ghsa_id') ?? idAt(object, 'head_sha')
  // The buyer identifies a purchase.
  return id ?? pathInRepository(hook, idAt(object, 'number')) ?? idAt(objectAt(object, 'account'), 'id')
}

/**
 * The time named after the action (`dismissed_at`), else that of the last change. A deletion has only the former. For
 * events without an object, the time is in the body.
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

interface TargetParts {
  objectType: string
  object: Payload | undefined
  identity: string | undefined
  described: Description
}

function genericTarget(hook: Hook, { objectType, object, identity, described }: TargetParts): TargetNode {
  const carrier = carrierNode(hook)
  if (object !== undefined && object === hook.repository) return carrier ?? toNode(objectType, {})
  if (objectType === 'organization') return ownerNode(hook) ?? toNode(objectType, {})
  if (object === undefined && described.display === undefined) return carrier ?? toNode(objectType, {})
  const title = textAt(object, 'title') ?? textAt(object, 'name') ?? loginOf(object)
  const number = idAt(object, 'number')
  return toNode(objectType, {
    id: described.id ?? identity,
    display:
      described.display ?? (number === undefined ? title : `#${number}${title === undefined ? '' : ` ${title}`}`),
    url: described.url ?? webUrlAt(object, 'html_url'),
    ...known({ metadata: described.metadata }),
    parent: described.parent ?? carrier,
  })
}
