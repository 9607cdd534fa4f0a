/** Sentences for a forum or a chat: posts, topics, messages, subscriptions, badges. See `kind-sentences.ts`. */
import { ACCOUNT, kept, statuses, TRACKED, toggled, type VerbSentences, writtenText } from './sentence-families.js'

const EXPERT_APPROVED = [
  ...[
    '{actor} approved a post by {concerned} in {place} as an expert post',
    'A post by {concerned} in {place} was approved as an expert post',
  ],
  ...['{actor} approved a post in {place} as an expert post', 'A post in {place} was approved as an expert post'],
]
const EXPERT_UNAPPROVED = [
  ...[
    '{actor} withdrew the approval of a post by {concerned} in {place} as an expert post',
    'The approval of a post by {concerned} in {place} as an expert post was withdrawn',
  ],
  ...[
    '{actor} withdrew the approval of a post in {place} as an expert post',
    'The approval of a post in {place} as an expert post was withdrawn',
  ],
]
/** Discourse posts a notice when a topic is closed, pinned and so on. A notice is not a reply. */
const NOTICED = ['{actor} posted notice {notice} in {within}', 'Notice {notice} was posted in {within}']

export const TALK_SENTENCES: Readonly<Record<string, VerbSentences>> = {
  badge: {
    granted: [
      '{actor} granted badge {badge} to {concerned}',
      '{concerned} got badge {badge}',
      'Badge {badge} was granted',
    ],
    revoked: [
      ...['{actor} revoked badge {badge} from {concerned}', '{concerned} lost badge {badge}'],
      ...['Badge {badge} was revoked'],
    ],
  },
  category: kept('category'),
  category_experts: {
    approved: EXPERT_APPROVED,
    'approved=approved': EXPERT_APPROVED,
    unapproved: EXPERT_UNAPPROVED,
    'unapproved=unapproved': EXPERT_UNAPPROVED,
  },
  message: {
    ...writtenText('a message', 'in'),
    created: ['{actor} wrote to {direct}', '{actor} wrote in {place}', 'A message was written in {place}'],
    moved: [
      ...['{actor} moved a message from {from} to {place}', 'A message was moved from {from} to {place}'],
      ...['{actor} moved a message to {place}', 'A message was moved to {place}'],
    ],
  },
  notification: {
    created: [
      ...['{actor} triggered a notification to {concerned} about {about}'],
      ...['{actor} triggered a notification about {about}', '{concerned} was notified about {about}'],
      ...['{actor} triggered a notification to {concerned}', '{actor} triggered a notification'],
      ...['{concerned} was notified', 'A notification was sent'],
    ],
  },
  post: {
    ...writtenText('a post', 'in'),
    created: [...NOTICED, '{actor} posted in {place}', 'A post was added in {place}'],
    liked: [
      '{actor} liked a post by {concerned} in {place}',
      '{actor} liked a post in {place}',
      'A post in {place} was liked',
    ],
  },
  reaction: {
    added: [
      '{actor} reacted with {object} to {place}',
      '{actor} reacted to {place}',
      'A reaction was added to {place}',
    ],
    removed: [
      ...['{actor} removed reaction {object} from {place}', '{actor} removed a reaction from {place}'],
      'A reaction was removed from {place}',
    ],
  },
  realm: {
    updated: [
      '{actor} changed the {settings} of {place}',
      'The {settings} of {place} changed',
      'changed ~organization',
    ],
    deactivated: 'deactivated ~organization',
  },
  realm_bot: {
    added: ['{actor} added bot {concerned}', 'Bot {concerned} was added'],
    updated: ['{actor} changed bot {concerned}', 'Bot {concerned} was changed'],
    removed: ['{actor} removed bot {concerned}', 'Bot {concerned} was removed'],
    deleted: ['{actor} deleted bot {concerned}', 'Bot {concerned} was deleted'],
  },
  realm_user: ACCOUNT,
  reply: {
    ...writtenText('a reply', 'in'),
    created: [...NOTICED, '{actor} replied in {place}', 'A reply was added in {place}'],
  },
  reviewable: {
    created: [
      ...['{actor} put user {account} up for review', 'A review of user {account} was requested'],
      ...['{actor} put {reviewable} up for review in {within}', '{actor} put {reviewable} up for review'],
      ...['A review of {reviewable} in {within} was requested', 'A review of {reviewable} was requested'],
    ],
    score_updated: [
      ...['{actor} scored {reviewable} in {within}', 'The score of {reviewable} in {within} changed'],
      'The score of {reviewable} changed',
    ],
    transitioned_to: [
      ...['{actor} decided on {reviewable} in {within}', 'A decision on {reviewable} in {within} was made'],
      'A decision on {reviewable} was made',
    ],
  },
  solution: {
    accepted: [
      ...[
        '{actor} marked the answer by {concerned} as the solution of {place}',
        'The answer by {concerned} was marked as the solution of {place}',
      ],
      ...['{actor} marked a solution in {place}', 'A solution was marked in {place}'],
    ],
    unaccepted: [
      ...[
        '{actor} unmarked the answer by {concerned} as the solution of {place}',
        'The answer by {concerned} was unmarked as the solution of {place}',
      ],
      ...['{actor} unmarked the solution in {place}', 'The solution in {place} was unmarked'],
    ],
  },
  stream: {
    ...kept('channel'),
    updated: [
      ...['{actor} renamed channel {from} to {place}', 'Channel {from} was renamed to {place}'],
      ...['{actor} changed the {fields} of {place}', 'The {fields} of {place} changed', 'changed ~channel'],
    ],
  },
  submessage: {
    received: ['{actor} responded to a widget in {place}', 'A widget in {place} got a response'],
  },
  subscription: {
    added: [
      '{self} subscribed to {place}',
      '{actor} subscribed {concerned} to {place}',
      '{concerned} was subscribed to {place}',
      'A subscription to {place} was added',
    ],
    removed: [
      '{self} unsubscribed from {place}',
      '{actor} unsubscribed {concerned} from {place}',
      '{concerned} was unsubscribed from {place}',
      'A subscription to {place} was removed',
    ],
    updated: ['{actor} changed a subscription to {place}', 'A subscription to {place} was changed'],
    peer_added: [
      '{actor} subscribed {concerned} to {place}',
      '{concerned} was subscribed to {place}',
      'People were subscribed to {place}',
    ],
    peer_removed: [
      '{actor} unsubscribed {concerned} from {place}',
      '{concerned} was unsubscribed from {place}',
      'People were unsubscribed from {place}',
    ],
  },
  topic: {
    ...TRACKED,
    restored: 'restored',
    ...statuses({
      closed_changed: toggled('closed', 'reopened', 'closed or reopened'),
      autoclosed_changed: toggled('closed', 'reopened', 'closed or reopened'),
      archived_changed: toggled('archived', 'unarchived', 'archived or unarchived'),
      pinned_changed: toggled('pinned', 'unpinned', 'pinned or unpinned'),
      pinned_globally_changed: toggled('pinned everywhere', 'unpinned everywhere', 'pinned or unpinned everywhere'),
      visible_changed: toggled('shown', 'hidden', 'shown or hidden'),
    }),
  },
  topic_voting: {
    topic_upvote: ['{actor} voted for {place}', '{place} got a vote'],
    topic_unvote: ['{actor} withdrew a vote for {place}', 'A vote for {place} was withdrawn'],
  },
  user_group: {
    ...kept('user group'),
    added: 'created ~user group',
    removed: 'deleted ~user group',
    subgroups_added: ['{actor} added groups to {place}', 'Groups were added to {place}'],
    subgroups_removed: ['{actor} removed groups from {place}', 'Groups were removed from {place}'],
    members_added: [
      '{actor} added {concerned} to {place}',
      '{concerned} was added to {place}',
      'Members were added to {place}',
    ],
    members_removed: [
      ...[
        '{actor} removed {concerned} from {place}',
        '{concerned} was removed from {place}',
        'Members were removed from {place}',
      ],
    ],
  },
}
