/** Events about posts: written, edited, deleted, restored, liked, accepted as solutions. */
import type { Occurrence } from '../mapping/mapped-event.js'
import { toNode } from '../mapping/node.js'
import { idAt, instantAt, known, objectAt, type Payload } from '../mapping/payload.js'
import { conversationOf, deletionOf, type Hook, IDENTIFIED_BY_BODY, type Mapped, verbOf, wordsOf } from './hook.js'
import { authorOf, describe, type Person, personAt } from './person.js'
import { postNode } from './target-nodes.js'

/** The post that opens a topic is a `post`. Every later one is a `reply`. */
export function mapPost(hook: Hook): Mapped {
  const post = hook.object
  const verb = verbOf(hook, 'post')
  return {
    ...aboutPost(hook, post),
    objectType: Number(idAt(post, 'post_number')) > 1 ? 'reply' : 'post',
    verb,
    occurrence: postOccurrence(post, verb),
    occurredAt: postTime(post, verb),
    actor: postActor(post, verb),
  }
}

/** The payload contains both the liking user and the author. Removing a like sends no event. */
export function mapLike(hook: Hook): Mapped {
  const post = objectAt(hook.object, 'post')
  const actor = personAt(hook.object, 'user')
  const about = aboutPost(hook, post)
  const both = about.subjectId !== undefined && actor?.id !== undefined
  return {
    ...about,
    objectType: 'post',
    verb: verbOf(hook, 'post'),
    occurrence: [actor?.id],
    occurredAt: undefined,
    target: toNode('like', { id: both ? `${about.subjectId}/${actor.id}` : undefined, parent: about.target }),
    actor,
  }
}

/** The payload contains the answer's author, not who accepted it. A solution can be removed and accepted again. */
export function mapSolution(hook: Hook): Mapped {
  return {
    ...aboutPost(hook, hook.object),
    objectType: 'solution',
    verb: verbOf(hook, 'solved').replace(/_solution$/u, ''),
    occurrence: IDENTIFIED_BY_BODY,
    occurredAt: undefined,
    metadata: known({ concerned: describe(authorOf(hook.object)) }),
  }
}

/**
 * A post was approved as an expert's, or its approval was withdrawn.
 *
 * Source: the plugin discourse-category-experts, `category_experts_approved` and `category_experts_unapproved`.
 */
export function mapExpertPost(hook: Hook): Mapped {
  const verb = verbOf(hook, 'category_experts')
  return {
    ...aboutPost(hook, hook.object),
    objectType: 'category_experts',
    verb,
    occurrence: IDENTIFIED_BY_BODY,
    occurredAt: undefined,
    outcome: verb === 'approved' || verb === 'unapproved' ? verb : undefined,
    metadata: known({ concerned: describe(authorOf(hook.object)) }),
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
      return IDENTIFIED_BY_BODY
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

function postActor(post: Payload | undefined, verb: string): Person | undefined {
  if (verb === 'created') return authorOf(post)
  return verb === 'deleted' ? personAt(post, 'deleted_by') : undefined
}
