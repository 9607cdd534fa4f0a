import type { TargetNode } from '../../model/events/event.js'
import { toWord } from '../mapping/identifiers.js'
import { toNode } from '../mapping/node.js'
import { idAt, instantAt, known, numberAt, objectAt, textAt } from '../mapping/payload.js'
import { conversationOf, type Hook, type Mapped, verbOf, wordsOf } from './hook.js'
import { absoluteLink, linkTo } from './instance.js'
import { describe, personAt } from './person.js'
import { topicAround, userNode } from './target-nodes.js'

/** Source: Discourse, `Reviewable.statuses`. */
const STATUSES: readonly string[] = ['pending', 'approved', 'rejected', 'ignored', 'deleted']

/** `ReviewableFlaggedPost` → `flagged post`. */
function nameOf(type: string | undefined): string | undefined {
  const name = type?.replace(/^Reviewable(?=.)/u, '').slice(0, 60)
  return toWord(name?.replace(/(?<=[a-z])(?=[A-Z])/gu, '_'))?.replaceAll('_', ' ')
}

/** An item for moderators. The payload contains its reporter, not the moderator who decides. */
export function mapReviewable(hook: Hook): Mapped {
  const reviewable = hook.object
  const verb = verbOf(hook, 'reviewable')
  const id = idAt(reviewable, 'id')
  const created = verb === 'created'
  const state = [idAt(reviewable, 'status'), idAt(reviewable, 'version')]
  const status = STATUSES[numberAt(reviewable, 'status') ?? -1] ?? textAt(reviewable, 'status')
  const target = toNode('reviewable', {
    id,
    display: nameOf(textAt(reviewable, 'type')),
    url: id === undefined ? undefined : linkTo(hook.instance, 'review', id),
    metadata: known({
      status: numberAt(reviewable, 'status'),
      reviewable_type: textAt(reviewable, 'type'),
      created_by: describe(personAt(reviewable, 'created_by')),
    }),
    parent: concernedNode(hook),
  })
  return {
    objectType: 'reviewable',
    verb,
    subjectId: id,
    identity: id,
    // A score grows with each flag, while the state stays the same.
    occurrence: created ? 'once' : verb === 'score_updated' ? [...state, idAt(reviewable, 'score')] : state,
    occurredAt: created ? instantAt(reviewable, 'created_at') : undefined,
    outcome: verb === 'transitioned_to' ? toWord(status) : undefined,
    target,
    conversation: conversationOf(target, wordsOf(objectAt(reviewable, 'payload')) ?? wordsOf(reviewable)),
    actor: created ? personAt(reviewable, 'created_by') : undefined,
    metadata: known({
      state: toWord(status),
      concerned: describe(personAt(reviewable, 'target_created_by') ?? personAt(reviewable, 'user')),
    }),
  }
}

/** The post in its topic; the topic or category if nothing is posted yet; or a user who awaits approval. */
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
