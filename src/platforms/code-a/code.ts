/** What happens to the code itself: pushes, branches and tags, releases. */
import type { TargetNode } from '../../model/event.js'
import { commitMessages, isNoCommit, pushIdentity, readRef } from '../git-push.js'
import { toWord } from '../identity.js'
import { toNode } from '../node.js'
import {
  firstInstantAt,
  idAt,
  instantAt,
  isTrue,
  known,
  objectAt,
  objectsAt,
  type Payload,
  textAt,
  webUrlAt,
} from '../payload.js'
import { conversationOf } from './conversation.js'
import { type Hook, type Mapped, verbOf } from './hook.js'
import { authorOf, carrierNode, pathInRepository, repositoryId } from './nodes.js'

export function mapPush(hook: Hook): Mapped {
  const { body } = hook
  const ref = textAt(body, 'ref')
  const after = textAt(body, 'after')
  const head = headCommit(body, after)
  const deleted = isTrue(body, 'deleted') || isNoCommit(after)
  const target = refNode(hook, ref)
  return {
    objectType: 'push',
    verb: deleted ? 'deleted' : 'created',
    subjectId: after === undefined || isNoCommit(after) ? ref : after,
    identity: pushIdentity(repositoryId(hook), body),
    occurrence: 'once',
    occurredAt: instantAt(hook.repository, 'pushed_at') ?? instantAt(head, 'timestamp'),
    target,
    conversation: conversationOf(hook, target, {
      text: commitMessages(body) ?? textAt(head, 'message'),
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

/** Gogs and older Gitea do not set the head apart from the other commits. */
function headCommit(push: Payload, after: string | undefined): Payload | undefined {
  const isHead = (commit: Payload) => after !== undefined && textAt(commit, 'id') === after
  return objectAt(push, 'head_commit') ?? objectsAt(push, 'commits').find(isHead)
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
  const { type, name } = readRef(ref)
  return toNode(refType ?? type, { id: pathInRepository(hook, name), display: name, parent: carrierNode(hook) })
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
