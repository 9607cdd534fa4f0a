/** Every event that has no row of its own: kept under the platform's own words, as far as they can be read. */
import type { TargetNode } from '../../model/event.js'
import { toWord } from '../identity.js'
import { firstInstantAt, idAt, objectAt, type Payload, textAt, webUrlAt } from '../payload.js'
import { conversationOf } from './conversation.js'
import { type Hook, type Mapped, verbOf } from './hook.js'
import { carrierNode, loginOf, ownerNode, pathInRepository, repositoryId, toNode } from './nodes.js'

/** Where the object of an event is not named like the event, nor like the end of its name (`…_alert`). */
const OBJECT_NAMED: ReadonlyMap<string, string> = new Map([
  ['installation_target', 'account'],
  ['membership', 'member'],
  ['meta', 'hook'],
  ['org_block', 'blocked_user'],
  ['sub_issues', 'sub_issue'],
  ['team_add', 'team'],
])

export function mapGeneric(hook: Hook): Mapped {
  const objectType = toWord(hook.name) ?? 'event'
  const object = likeNamed(hook)
  const verb = verbOf(hook)
  const id = idAt(object, 'id') ?? idAt(object, 'node_id') ?? idAt(object, 'ghsa_id')
  const identity = id ?? pathInRepository(hook, idAt(object, 'number'))
  const occurredAt = genericTime(hook, object, verb)
  const target = genericTarget(hook, { objectType, object, identity })
  return {
    objectType,
    verb,
    subjectId: identity ?? repositoryId(hook) ?? idAt(objectAt(hook.body, 'organization'), 'id'),
    identity,
    occurrence: verb === 'created' || verb === 'deleted' ? 'once' : [occurredAt],
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
  const words = (OBJECT_NAMED.get(name) ?? name).split('_')
  // Event names have a handful of words; what has more was not sent by a platform.
  for (let from = 0; from < Math.min(words.length, 8); from++) {
    const object = objectAt(body, words.slice(from).join('_'))
    if (object) return object
  }
  return undefined
}

/** The time that is named for the action (`dismissed_at`), else that of the last change; a deletion has only its own. */
function genericTime(hook: Hook, object: Payload | undefined, verb: string): string | undefined {
  const named = [...new Set([hook.nativeAction ?? verb, verb])].map(action => `${action}_at`)
  return firstInstantAt(object, verb === 'created' || verb === 'deleted' ? named : [...named, 'updated_at'])
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
