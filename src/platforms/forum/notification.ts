import { toNode } from '../node.js'
import { idAt, instantAt, known, numberAt, objectAt, textAt } from '../payload.js'
import { conversationOf } from './conversation.js'
import { type Hook, type Mapped, TOLD_BY_BODY, verbOf } from './hook.js'
import { postLink, siteNode, topicNode } from './nodes.js'
import { describe, type Person, personAt } from './person.js'

/** `user_id` is who is told, not who did something; that one is told by name only, which is no identity. */
export function mapNotification(hook: Hook): Mapped {
  const notification = hook.object
  const verb = verbOf(hook, 'notification')
  const id = idAt(notification, 'id')
  const data = objectAt(notification, 'data')
  const topicId = idAt(notification, 'topic_id')
  const topic =
    topicId === undefined
      ? undefined
      : topicNode(hook, {
          id: topicId,
          title: textAt(data, 'topic_title') ?? textAt(notification, 'fancy_title'),
          slug: textAt(notification, 'slug'),
          parent: siteNode(hook),
        })
  const postId = idAt(data, 'original_post_id')
  const url = postLink(hook, notification)
  const target = toNode('notification', {
    id,
    url,
    metadata: known({
      notification_type: numberAt(notification, 'notification_type'),
      recipient: describe(personAt(notification, 'user')),
    }),
    parent: topic && postId !== undefined ? toNode('post', { id: postId, parent: topic }) : (topic ?? siteNode(hook)),
  })
  return {
    objectType: 'notification',
    verb,
    subjectId: id,
    identity: id,
    occurrence: verb === 'created' ? 'once' : TOLD_BY_BODY,
    occurredAt: verb === 'created' ? instantAt(notification, 'created_at') : undefined,
    target,
    conversation: conversationOf(target),
    doer: causeOf(hook),
  }
}

/**
 * Notifications that nobody caused; if they name somebody, then who is told: a badge that was granted, the summary of a
 * group's messages, a reminder of a topic or of a bookmark.
 *
 * Source: Discourse, `Notification.types`.
 */
const WITHOUT_CAUSE: ReadonlySet<number | undefined> = new Set([12, 16, 18, 24])

/** The members that name who caused a notification. The second may hold other words where several are told as one. */
const CAUSES = [
  'original_username',
  'display_username',
  'username',
  'mentioned_by_username',
  'invited_by_username',
] as const

function causeOf({ object }: Hook): Person | undefined {
  if (WITHOUT_CAUSE.has(numberAt(object, 'notification_type'))) return undefined
  const data = objectAt(object, 'data')
  const [username] = CAUSES.flatMap(name => textAt(data, name) ?? [])
  if (username === undefined) return undefined
  return { id: undefined, username, name: textAt(object, 'acting_user_name'), email: undefined, role: '' }
}
