/** Events about the code itself: pushes, branches and tags, releases. */
import type { TargetNode } from '../../model/events/event.js'
import { commitMessages, isNoCommit, pushIdentity, readRef } from '../mapping/code-host.js'
import { toWord } from '../mapping/identifiers.js'
import type { Occurrence } from '../mapping/mapped-event.js'
import { toNode } from '../mapping/node.js'
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
} from '../mapping/payload.js'
import { editedText } from './changes.js'
import { conversationOf, type Hook, type Mapped, verbOf } from './hook.js'
import { refPage } from './links.js'
import { authorOf, carrierNode, pathInRepository, repositoryId } from './target-nodes.js'

export function mapPush(hook: Hook): Mapped {
  const { body } = hook
  const ref = textAt(body, 'ref')
  const after = textAt(body, 'after')
  const head = headCommit(body, after)
  const deleted = isTrue(body, 'deleted') || isNoCommit(after)
  const pushedAt = instantAt(hook.repository, 'pushed_at')
  const target = refNode(hook, ref, { gone: deleted })
  const compared = webUrlAt(body, 'compare') ?? webUrlAt(body, 'compare_url') ?? webUrlAt(head, 'url')
  return {
    objectType: 'push',
    verb: deleted ? 'deleted' : 'created',
    subjectId: after === undefined || isNoCommit(after) ? ref : after,
    identity: pushIdentity(repositoryId(hook), body),
    // The same commits may be pushed to the same ref again after a deletion or forced push.
    occurrence: [pushedAt ?? instantAt(hook.repository, 'updated_at')],
    occurredAt: pushedAt ?? instantAt(head, 'timestamp'),
    target,
    conversation: conversationOf(hook, target, {
      text: commitMessages(body) ?? textAt(head, 'message'),
      // A deleted ref has no comparison page.
      url: deleted ? undefined : compared,
    }),
    metadata: known({
      ref,
      before: textAt(body, 'before'),
      after,
      forced: isTrue(body, 'forced') || undefined,
    }),
  }
}

/** Gogs and older Gitea do not send the head commit separately. */
function headCommit(push: Payload, after: string | undefined): Payload | undefined {
  const isHead = (commit: Payload) => after !== undefined && textAt(commit, 'id') === after
  return objectAt(push, 'head_commit') ?? objectsAt(push, 'commits').find(isHead)
}

/** `create` and `delete`. A branch may be created again with its name, so only the delivery identifies the event. */
export function mapRef(hook: Hook): Mapped {
  const ref = textAt(hook.body, 'ref')
  const objectType = toWord(textAt(hook.body, 'ref_type')) ?? 'ref'
  const deleted = hook.name === 'delete'
  const target = refNode(hook, ref, { refType: objectType, gone: deleted })
  return {
    objectType,
    verb: deleted ? 'deleted' : 'created',
    subjectId: ref,
    identity: pathInRepository(hook, ref),
    occurrence: [undefined],
    occurredAt: undefined,
    target,
    conversation: conversationOf(hook, target, {}),
  }
}

/**
 * A branch or tag: on a push by its full ref, elsewhere by bare name and type.
 *
 * @param gone whether the ref was deleted, so that it has no page
 */
export function refNode(
  hook: Hook,
  ref: string | undefined,
  { refType, gone = false }: { refType?: string; gone?: boolean } = {},
): TargetNode {
  const { type: fullType, name } = readRef(ref)
  const type = refType ?? fullType
  return toNode(type, {
    id: pathInRepository(hook, name),
    display: name,
    url: gone ? undefined : refPage(hook, type, name),
    parent: carrierNode(hook),
  })
}

/** One click sends several events (`created`, `published`, `released`); each is recorded. */
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
    occurrence: releaseOccurrence(release, verb),
    occurredAt: releaseTime(release, verb),
    target,
    conversation: conversationOf(hook, target, { text: textAt(release, 'body') }),
    written: release,
  }
}

/** A release may be published again after becoming a draft, and edited at any time. It is created and deleted once. */
function releaseOccurrence(release: Payload | undefined, verb: string): Occurrence {
  switch (verb) {
    case 'published':
    case 'released':
    case 'prereleased':
      return [instantAt(release, 'published_at')]
    case 'unpublished':
      return [firstInstantAt(release, ['updated_at', 'published_at'])]
    case 'updated':
      return [instantAt(release, 'updated_at'), editedText(release)]
    default:
      return 'once'
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
