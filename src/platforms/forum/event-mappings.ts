import { kindsOf } from '../catalogue.js'
import { mapChatMessage } from './chat-message.js'
import type { Hook, Mapped } from './hook.js'
import { mapNotification } from './notification.js'
import { mapExpertPost, mapLike, mapPost, mapSolution } from './post.js'
import { mapReviewable } from './reviewable.js'
import { mapCategory, mapGroup, mapTag } from './structure.js'
import { mapAssignment, mapTopic, mapVote } from './topic.js'
import { mapBadge, mapGroupMember, mapUser } from './user.js'

/** Maps the events of one type. */
interface EventMapping {
  /** The kinds produced from known events; others yield `<object>.<native word>`. */
  kinds: readonly string[]
  map(hook: Hook): Mapped
}

const POST_VERBS = ['created', 'updated', 'deleted', 'restored'] as const
const STRUCTURE_VERBS = ['created', 'updated', 'deleted'] as const

const TOPIC_VERBS = [
  ...POST_VERBS,
  'closed',
  'reopened',
  'closed_changed',
  'autoclosed_changed',
  'archived_changed',
  'pinned_changed',
  'pinned_globally_changed',
  'visible_changed',
] as const

const USER_VERBS = [
  'created',
  'approved',
  'updated',
  'deleted',
  'logged_in',
  'logged_out',
  'confirmed_email',
  'suspended',
  'unsuspended',
] as const

/** Individually mapped events, by type. */
export const MAPPINGS: ReadonlyMap<string, EventMapping> = new Map<string, EventMapping>([
  ['post', { kinds: [...kindsOf('post', POST_VERBS), ...kindsOf('reply', POST_VERBS)], map: mapPost }],
  ['topic', { kinds: kindsOf('topic', TOPIC_VERBS), map: mapTopic }],
  ['like', { kinds: ['post.liked'], map: mapLike }],
  ['solved', { kinds: kindsOf('solution', ['accepted', 'unaccepted']), map: mapSolution }],
  ['category_experts', { kinds: kindsOf('category_experts', ['approved', 'unapproved']), map: mapExpertPost }],
  ['user', { kinds: kindsOf('user', USER_VERBS), map: mapUser }],
  ['user_promoted', { kinds: ['user.promoted'], map: mapUser }],
  ['group_user', { kinds: kindsOf('group_member', ['added', 'removed']), map: mapGroupMember }],
  ['user_badge', { kinds: kindsOf('badge', ['granted', 'revoked']), map: mapBadge }],
  ['category', { kinds: kindsOf('category', STRUCTURE_VERBS), map: mapCategory }],
  ['group', { kinds: kindsOf('group', STRUCTURE_VERBS), map: mapGroup }],
  ['tag', { kinds: kindsOf('tag', STRUCTURE_VERBS), map: mapTag }],
  ['notification', { kinds: ['notification.created'], map: mapNotification }],
  ['reviewable', { kinds: kindsOf('reviewable', ['created', 'transitioned_to', 'score_updated']), map: mapReviewable }],
  ['chat_message', { kinds: kindsOf('message', POST_VERBS), map: mapChatMessage }],
  ['assign', { kinds: kindsOf('assign', ['assigned', 'unassigned']), map: mapAssignment }],
  ['topic_voting', { kinds: kindsOf('topic_voting', ['topic_upvote', 'topic_unvote']), map: mapVote }],
])
