import { toNode } from '../mapping/node.js'
import { idAt, instantAt, known, numberAt, objectAt, textAt } from '../mapping/payload.js'
import { conversationOf, type Hook, IDENTIFIED_BY_BODY, type Mapped, verbOf } from './hook.js'
import { describe, type Person, personAt } from './person.js'
import { postLink, siteNode, topicNode } from './target-nodes.js'

/** `user_id` is the recipient, not the actor. The actor is sent only by name, which is not an identity. */
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
  const type = TYPES.get(numberAt(notification, 'notification_type'))
  const recipient = describe(personAt(notification, 'user'))
  const target = toNode('notification', {
    id,
    display: type && `notification: ${type.replaceAll('_', ' ')}`,
    url,
    metadata: known({
      notification_type: numberAt(notification, 'notification_type'),
      recipient,
    }),
    parent: topic && postId !== undefined ? toNode('post', { id: postId, parent: topic }) : (topic ?? siteNode(hook)),
  })
  return {
    objectType: 'notification',
    verb,
    subjectId: id,
    identity: id,
    occurrence: verb === 'created' ? 'once' : IDENTIFIED_BY_BODY,
    occurredAt: verb === 'created' ? instantAt(notification, 'created_at') : undefined,
    target,
    conversation: conversationOf(target),
    actor: causeOf(hook),
    metadata: known({ notification_type: type, concerned: recipient, badge: textAt(data, 'badge_name') }),
  }
}

/** Subject of a notification. Source: Discourse, `Notification.types`, and those of its plugins. */
const TYPES: ReadonlyMap<number | undefined, string> = new Map([
  [1, 'mentioned'],
  [2, 'replied'],
  [3, 'quoted'],
  [4, 'edited'],
  [5, 'liked'],
  [6, 'private_message'],
  [7, 'invited_to_private_message'],
  [8, 'invitee_accepted'],
  [9, 'posted'],
  [10, 'moved_post'],
  [11, 'linked'],
  [12, 'granted_badge'],
  [13, 'invited_to_topic'],
  [14, 'custom'],
  [15, 'group_mentioned'],
  [16, 'group_message_summary'],
  [17, 'watching_first_post'],
  [18, 'topic_reminder'],
  [19, 'liked_consolidated'],
  [20, 'post_approved'],
  [21, 'code_review_commit_approved'],
  [22, 'membership_request_accepted'],
  [23, 'membership_request_consolidated'],
  [24, 'bookmark_reminder'],
  [25, 'reaction'],
  [26, 'votes_released'],
  [27, 'event_reminder'],
  [28, 'event_invitation'],
  [29, 'chat_mention'],
  [30, 'chat_message'],
  [31, 'chat_invitation'],
  [32, 'chat_group_mention'],
  [33, 'chat_quoted'],
  [34, 'assigned'],
  [35, 'question_answer_user_commented'],
  [36, 'watching_category_or_tag'],
  [37, 'new_features'],
  [38, 'admin_problems'],
  [39, 'linked_consolidated'],
  [40, 'chat_watched_thread'],
  [800, 'following'],
  [801, 'following_created_topic'],
  [802, 'following_replied'],
  [900, 'circles_activity'],
])

/**
 * Notifications without an actor: a granted badge, the summary of a group's messages, a reminder of a topic, bookmark or
 * event. A name in them is the recipient's.
 *
 * Source: Discourse, `Notification.types`; discourse-calendar, `DiscoursePostEventSendReminder`.
 */
const WITHOUT_CAUSE: ReadonlySet<number | undefined> = new Set([12, 16, 18, 24, 27])
/** Where the plugin's own type is not known, its reminders are of the type `custom`, and only their message tells. */
const EVENT_REMINDER = /_event_reminder$/

/** The members that name the actor. If several notifications are combined, the second may contain other text. */
const CAUSES = [
  'original_username',
  'display_username',
  'username',
  'mentioned_by_username',
  'invited_by_username',
] as const

function causeOf({ object }: Hook): Person | undefined {
  const data = objectAt(object, 'data')
  const isReminder = EVENT_REMINDER.test(textAt(data, 'message') ?? '')
  if (isReminder || WITHOUT_CAUSE.has(numberAt(object, 'notification_type'))) return undefined
  const [username] = CAUSES.flatMap(name => textAt(data, name) ?? [])
  if (username === undefined) return undefined
  return { id: undefined, username, name: textAt(object, 'acting_user_name'), email: undefined, role: '' }
}
