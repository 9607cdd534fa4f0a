/** What happens to posts: they are written, edited, deleted, brought back, liked, and accepted as solutions. */
import type { Occurrence } from '../mapped-event.js'
import { toNode } from '../node.js'
import { idAt, instantAt, objectAt, type Payload } from '../payload.js'
import { conversationOf, wordsOf } from './conversation.js'
import { deletionOf, type Hook, type Mapped, TOLD_BY_BODY, verbOf } from './hook.js'
import { postNode } from './nodes.js'
import { authorOf, type Person, personAt } from './person.js'

/** The post that opens a topic is a `post`, every later one a `reply`. */
export function mapPost(hook: Hook): Mapped {
  const post = hook.object
  const verb = verbOf(hook, 'post')
  return {
    ...aboutPost(hook, post),
    objectType: Number(idAt(post, 'post_number')) > 1 ? 'reply' : 'post',
    verb,
    occurrence: postOccurrence(post, verb),
    occurredAt: postTime(post, verb),
    doer: postDoer(post, verb),
  }
}

/** Who liked it is told apart from who wrote it; a like that is taken back is not sent. */
export function mapLike(hook: Hook): Mapped {
  const post = objectAt(hook.object, 'post')
  const doer = personAt(hook.object, 'user')
  const about = aboutPost(hook, post)
  const both = about.subjectId !== undefined && doer?.id !== undefined
  return {
    ...about,
    objectType: 'post',
    verb: verbOf(hook, 'post'),
    occurrence: [doer?.id],
    occurredAt: undefined,
    target: toNode('like', { id: both ? `${about.subjectId}/${doer.id}` : undefined, parent: about.target }),
    doer,
  }
}

/** The post's author is whose answer it is. Who accepted it is not told. */
export function mapSolution(hook: Hook): Mapped {
  return {
    ...aboutPost(hook, hook.object),
    objectType: 'solution',
    verb: verbOf(hook, 'solved').replace(/_solution$/u, ''),
    occurrence: 'once',
    occurredAt: undefined,
  }
}

function aboutPost(
  hook: Hook,
  post: Payload | undefined,
): Pick<Mapped, 'subjectId' | 'identity' | 'target' | 'conversation'> {
  const id = idAt(post, 'id')
  const target = postNode(hook, post)
  return {
    subjectId: id,
    identity: id,
    target,
    conversation: conversationOf(target, wordsOf(post)),
  }
}

function postOccurrence(post: Payload | undefined, verb: string): Occurrence {
  switch (verb) {
    case 'created':
      return 'once'
    case 'updated':
      return [idAt(post, 'version'), instantAt(post, 'updated_at')]
    case 'deleted':
      return deletionOf(post)
    default:
      return TOLD_BY_BODY
  }
}

function postTime(post: Payload | undefined, verb: string): string | undefined {
  switch (verb) {
    case 'created':
      return instantAt(post, 'created_at')
    case 'updated':
      return instantAt(post, 'updated_at')
    case 'deleted':
      return instantAt(post, 'deleted_at')
    default:
      return undefined
  }
}

function postDoer(post: Payload | undefined, verb: string): Person | undefined {
  if (verb === 'created') return authorOf(post)
  return verb === 'deleted' ? personAt(post, 'deleted_by') : undefined
}
