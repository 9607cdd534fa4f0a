import type { TargetNode } from '../../model/event.js'
import { toNode } from '../node.js'
import { idAt, instantAt, known, numberAt, objectAt, textAt } from '../payload.js'
import { conversationOf, wordsOf } from './conversation.js'
import { type Hook, type Mapped, verbOf } from './hook.js'
import { absoluteLink, linkTo } from './instance.js'
import { topicAround, userNode } from './nodes.js'
import { describe, personAt } from './person.js'

/** Something that waits for a moderator. Who put it there is told, who decides about it is not. */
export function mapReviewable(hook: Hook): Mapped {
  const reviewable = hook.object
  const verb = verbOf(hook, 'reviewable')
  const id = idAt(reviewable, 'id')
  const created = verb === 'created'
  const state = [idAt(reviewable, 'status'), idAt(reviewable, 'version')]
  const target = toNode('reviewable', {
    id,
    display: textAt(reviewable, 'type'),
    url: id === undefined ? undefined : linkTo(hook.instance, 'review', id),
    metadata: known({
      status: numberAt(reviewable, 'status'),
      created_by: describe(personAt(reviewable, 'created_by')),
    }),
    parent: concernedNode(hook),
  })
  return {
    objectType: 'reviewable',
    verb,
    subjectId: id,
    identity: id,
    // A score grows with each flag, in one and the same state.
    occurrence: created ? 'once' : verb === 'score_updated' ? [...state, idAt(reviewable, 'score')] : state,
    occurredAt: created ? instantAt(reviewable, 'created_at') : undefined,
    target,
    conversation: conversationOf(target, wordsOf(objectAt(reviewable, 'payload')) ?? wordsOf(reviewable)),
    doer: created ? personAt(reviewable, 'created_by') : undefined,
  }
}

/** The post in its topic; the topic or category alone where nothing was posted yet; or a user who wants to be let in. */
function concernedNode(hook: Hook): TargetNode {
  const reviewable = hook.object
  const topic = topicAround(hook, reviewable)
  const postId = idAt(reviewable, 'post_id')
  const user = personAt(reviewable, 'user')
  if (postId === undefined) return topic.type === 'site' && user !== undefined ? userNode(hook, user) : topic
  return toNode('post', {
    id: postId,
    url: absoluteLink(hook.instance, textAt(reviewable, 'target_url')),
    metadata: known({ author: describe(personAt(reviewable, 'target_created_by')) }),
    parent: topic,
  })
}
