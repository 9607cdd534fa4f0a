/** Sentences for a forum or a chat: posts, topics, messages, subscriptions, badges. See `kind-sentences.ts`. */
import { ACCOUNT, kept, spoken, statuses, TRACKED, toggled, type VerbSentences } from './sentence-families.js'

const EXPERT_APPROVED = [
  ...[
    '{doer} approved a post by {concerned} in {place} as an expert post',
    'A post by {concerned} in {place} was approved as an expert post',
  ],
  ...['{doer} approved a post in {place} as an expert post', 'A post in {place} was approved as an expert post'],
]
const EXPERT_UNAPPROVED = [
  ...[
    '{doer} withdrew the approval of a post by {concerned} in {place} as an expert post',
    'The approval of a post by {concerned} in {place} as an expert post was withdrawn',
  ],
  ...[
    '{doer} withdrew the approval of a post in {place} as an expert post',
    'The approval of a post in {place} as an expert post was withdrawn',
  ],
]
/** Discourse posts a notice when a topic is closed, pinned and so on. A notice is not a reply. */
const NOTICED = ['{doer} posted notice {notice} in {within}', 'Notice {notice} was posted in {within}']

export const TALK_SENTENCES: Readonly<Record<string, VerbSentences>> = {
  badge: {
    granted: [
      '{doer} granted badge {badge} to {concerned}',
      '{concerned} got badge {badge}',
      'Badge {badge} was granted',
    ],
    revoked: [
      ...['{doer} revoked badge {badge} from {concerned}', '{concerned} lost badge {badge}'],
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
    ...spoken('a message', 'in'),
    created: ['{doer} wrote to {direct}', '{doer} wrote in {place}', 'A message was written in {place}'],
    moved: [
      ...['{doer} moved a message from {from} to {place}', 'A message was moved from {from} to {place}'],
      ...['{doer} moved a message to {place}', 'A message was moved to {place}'],
    ],
  },
  notification: {
    created: [
      ...['{doer} triggered a notification to {concerned} about {about}'],
      ...['{doer} triggered a notification about {about}', '{concerned} was notified about {about}'],
      ...['{doer} triggered a notification to {concerned}', '{doer} triggered a notification'],
      ...['{concerned} was notified', 'A notification was sent'],
    ],
  },
  post: {
    ...spoken('a post', 'in'),
    created: [...NOTICED, '{doer} posted in {place}', 'A post was added in {place}'],
    liked: [
      '{doer} liked a post by {concerned} in {place}',
      '{doer} liked a post in {place}',
      'A post in {place} was liked',
    ],
  },
  reaction: {
    added: ['{doer} reacted with {object} to {place}', '{doer} reacted to {place}', 'A reaction was added to {place}'],
    removed: [
      ...['{doer} removed reaction {object} from {place}', '{doer} removed a reaction from {place}'],
      'A reaction was removed from {place}',
    ],
  },
  realm: {
    updated: ['{doer} changed the {settings} of {place}', 'The {settings} of {place} changed', 'changed ~organization'],
    deactivated: 'deactivated ~organization',
  },
  realm_bot: {
    added: ['{doer} added bot {concerned}', 'Bot {concerned} was added'],
    updated: ['{doer} changed bot {concerned}', 'Bot {concerned} was changed'],
    removed: ['{doer} removed bot {concerned}', 'Bot {concerned} was removed'],
    deleted: ['{doer} deleted bot {concerned}', 'Bot {concerned} was deleted'],
  },
  realm_user: ACCOUNT,
  reply: {
    ...spoken('a reply', 'in'),
    created: [...NOTICED, '{doer} replied in {place}', 'A reply was added in {place}'],
  },
  reviewable: {
    created: [
      ...['{doer} put user {account} up for review', 'A review of user {account} was requested'],
      ...['{doer} put {reviewable} up for review in {within}', '{doer} put {reviewable} up for review'],
      ...['A review of {reviewable} in {within} was requested', 'A review of {reviewable} was requested'],
    ],
    score_updated: [
      ...['{doer} scored {reviewable} in {within}', 'The score of {reviewable} in {within} changed'],
      'The score of {reviewable} changed',
    ],
    transitioned_to: [
      ...['{doer} decided on {reviewable} in {within}', 'A decision on {reviewable} in {within} was made'],
      'A decision on {reviewable} was made',
    ],
  },
  solution: {
    accepted: [
      ...[
        '{doer} marked the answer by {concerned} as the solution of {place}',
        'The answer by {concerned} was marked as the solution of {place}',
      ],
      ...['{doer} marked a solution in {place}', 'A solution was marked in {place}'],
    ],
    unaccepted: [
      ...[
        '{doer} unmarked the answer by {concerned} as the solution of {place}',
        'The answer by {concerned} was unmarked as the solution of {place}',
      ],
      ...['{doer} unmarked the solution in {place}', 'The solution in {place} was unmarked'],
    ],
  },
  stream: {
    ...kept('channel'),
    updated: [
      ...['{doer} renamed channel {from} to {place}', 'Channel {from} was renamed to {place}'],
      ...['{doer} changed the {fields} of {place}', 'The {fields} of {place} changed', 'changed ~channel'],
    ],
  },
  submessage: {
    received: ['{doer} responded to a widget in {place}', 'A widget in {place} got a response'],
  },
  subscription: {
    added: [
      '{self} subscribed to {place}',
      '{doer} subscribed {concerned} to {place}',
      '{concerned} was subscribed to {place}',
      'A subscription to {place} was added',
    ],
    removed: [
      '{self} unsubscribed from {place}',
      '{doer} unsubscribed {concerned} from {place}',
      '{concerned} was unsubscribed from {place}',
      'A subscription to {place} was removed',
    ],
    updated: ['{doer} changed a subscription to {place}', 'A subscription to {place} was changed'],
    peer_added: [
      '{doer} subscribed {concerned} to {place}',
      '{concerned} was subscribed to {place}',
      'People were subscribed to {place}',
    ],
    peer_removed: [
      '{doer} unsubscribed {concerned} from {place}',
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
    topic_upvote: ['{doer} voted for {place}', '{place} got a vote'],
    topic_unvote: ['{doer} withdrew a vote for {place}', 'A vote for {place} was withdrawn'],
  },
  user_group: {
    ...kept('user group'),
    added: 'created ~user group',
    removed: 'deleted ~user group',
    subgroups_added: ['{doer} added groups to {place}', 'Groups were added to {place}'],
    subgroups_removed: ['{doer} removed groups from {place}', 'Groups were removed from {place}'],
    members_added: [
      '{doer} added {concerned} to {place}',
      '{concerned} was added to {place}',
      'Members were added to {place}',
    ],
    members_removed: [
      ...[
        '{doer} removed {concerned} from {place}',
        '{concerned} was removed from {place}',
        'Members were removed from {place}',
      ],
    ],
  },
}
