/** What happens to the code itself: pushes, branches and tags, releases. */
import type { TargetNode } from '../../model/event.js'
import { toWord } from '../identity.js'
import {
  firstInstantAt,
  idAt,
  instantAt,
  isTrue,
  objectAt,
  objectsAt,
  type Payload,
  textAt,
  webUrlAt,
} from '../payload.js'
import { conversationOf } from './conversation.js'
import { type Hook, known, type Mapped, verbOf } from './hook.js'
import { authorOf, carrierNode, pathInRepository, repositoryId, toNode } from './nodes.js'

const ALL_ZEROS = /^0+$/u
const REF = /^refs\/(heads|tags)\/(.+)$/su

export function mapPush(hook: Hook): Mapped {
  const { body } = hook
  const ref = textAt(body, 'ref')
  const after = textAt(body, 'after')
  const head = objectAt(body, 'head_commit')
  const deleted = isTrue(body, 'deleted') || (after !== undefined && ALL_ZEROS.test(after))
  const target = refNode(hook, ref)
  return {
    objectType: 'push',
    verb: deleted ? 'deleted' : 'created',
    subjectId: after === undefined || ALL_ZEROS.test(after) ? ref : after,
    identity: pushIdentity(hook),
    occurrence: 'once',
    occurredAt: instantAt(hook.repository, 'pushed_at') ?? instantAt(head, 'timestamp'),
    target,
    conversation: conversationOf(hook, target, {
      text: messagesOf(body),
      url: webUrlAt(body, 'compare') ?? webUrlAt(body, 'compare_url') ?? webUrlAt(head, 'url'),
    }),
    metadata: known({
      ref,
      before: textAt(body, 'before'),
      after,
      forced: isTrue(body, 'forced') || undefined,
    }),
  }
}

/** A push is what moved which ref from where to where; without all of that only the delivery identifies it. */
function pushIdentity(hook: Hook): string | undefined {
  const parts = [repositoryId(hook), textAt(hook.body, 'ref'), textAt(hook.body, 'before'), textAt(hook.body, 'after')]
  if (parts.includes(undefined)) return undefined
  const [repository, ref, before, after] = parts
  return `${repository}:${ref}:${before}..${after}`
}

function messagesOf(body: Payload): string | undefined {
  const messages = objectsAt(body, 'commits').flatMap(commit => textAt(commit, 'message') ?? [])
  return messages.join('\n\n') || textAt(objectAt(body, 'head_commit'), 'message')
}

/** `create` and `delete`. A branch can be made again under its name, so only the delivery tells one time from another. */
export function mapRef(hook: Hook): Mapped {
  const ref = textAt(hook.body, 'ref')
  const objectType = toWord(textAt(hook.body, 'ref_type')) ?? 'ref'
  const target = refNode(hook, ref, objectType)
  return {
    objectType,
    verb: hook.name === 'delete' ? 'deleted' : 'created',
    subjectId: ref,
    identity: pathInRepository(hook, ref),
    occurrence: [undefined],
    occurredAt: undefined,
    target,
    conversation: conversationOf(hook, target, {}),
  }
}

/** A branch or tag, by its full ref on a push and by its bare name with its type elsewhere. */
function refNode(hook: Hook, ref: string | undefined, refType?: string): TargetNode {
  const [, folder, name = ref] = REF.exec(ref ?? '') ?? []
  const type = refType ?? (folder === 'heads' ? 'branch' : folder === 'tags' ? 'tag' : 'ref')
  return toNode(type, { id: pathInRepository(hook, name), display: name, parent: carrierNode(hook) })
}

/** One click makes several events (`created`, `published`, `released`); each is one of its own. */
export function mapRelease(hook: Hook): Mapped {
  const release = objectAt(hook.body, 'release')
  const verb = verbOf(hook)
  const id = idAt(release, 'id')
  const tag = textAt(release, 'tag_name')
  const target = toNode('release', {
    id: id ?? pathInRepository(hook, tag),
    display: textAt(release, 'name') ?? tag,
    url: webUrlAt(release, 'html_url'),
    metadata: known({ tag_name: tag, author: authorOf(release) }),
    parent: carrierNode(hook),
  })
  return {
    objectType: 'release',
    verb,
    subjectId: id,
    identity: id,
    occurrence: verb === 'updated' ? [instantAt(release, 'updated_at')] : 'once',
    occurredAt: releaseTime(release, verb),
    target,
    conversation: conversationOf(hook, target, { text: textAt(release, 'body') }),
  }
}

function releaseTime(release: Payload | undefined, verb: string): string | undefined {
  switch (verb) {
    case 'created':
      return instantAt(release, 'created_at')
    case 'published':
    case 'released':
    case 'prereleased':
      return firstInstantAt(release, ['published_at', 'created_at'])
    case 'deleted':
      return undefined
    default:
      return instantAt(release, 'updated_at')
  }
}
