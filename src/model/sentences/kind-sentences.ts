/**
 * Sentences by kind of event: the one table for pages and commands.
 *
 * A sentence is a template with names in braces: `{doer}` acted, `{concerned}` is the person acted upon, `{self}` is a
 * doer who acted upon himself or herself, `{object}` is the target's own name, `{place}` is the target with its
 * parents, outermost first, without what the sentence names elsewhere, `{within}` the same without the target. Others
 * are members of `action.metadata`, such as `{label}`. The first template applies whose names the event all has; if the
 * event names no doer, the first without one.
 *
 * A text in lower case is a participle: `closed` means `{doer} closed {place}` and `Issue {place} was closed`.
 * With a noun after a tilde, `closed ~milestone` means `{doer} closed milestone {place}` and `Milestone {place}
 * was closed`.
 *
 * The key `submitted=approved` applies if the outcome, or the metadata's `value`, is `approved`; `*` to every other
 * verb.
 *
 * Source: the kinds of `GET /api/platforms`.
 */
import {
  ACCOUNT,
  kept,
  MEMBERSHIP,
  ORGANIZATION,
  runs,
  spoken,
  statuses,
  TEAM_MEMBERSHIP,
  TRACKED,
  toggled,
  type VerbSentences,
} from './sentence-families.js'
import { UPKEEP_SENTENCES } from './upkeep-sentences.js'

const EXPERT_APPROVED = [
  ...[
    '{doer} approved a post by {concerned} in {place} as an expert’s',
    'A post by {concerned} in {place} was approved as an expert’s',
  ],
  ...['{doer} approved a post in {place} as an expert’s', 'A post in {place} was approved as an expert’s'],
]
const EXPERT_UNAPPROVED = [
  ...[
    '{doer} no longer approves a post by {concerned} in {place} as an expert’s',
    'A post by {concerned} in {place} is no longer approved as an expert’s',
  ],
  ...[
    '{doer} no longer approves a post in {place} as an expert’s',
    'A post in {place} is no longer approved as an expert’s',
  ],
]
const APPROVAL_ADDED = ['{doer} added an approval to {place}', 'An approval was added to {place}']
const APPROVAL_REMOVED = ['{doer} took an approval off {place}', 'An approval of {place} was taken off']
const UNAPPROVED = ['{doer} took the approval off {place}', 'The approval of {place} was taken off']

/** Object type → verb → sentences. */
export const KIND_SENTENCES: Readonly<Record<string, VerbSentences>> = {
  ...UPKEEP_SENTENCES,
  access_token: { expiring: 'Access token {object} of {place} is about to expire' },
  alert: { received: ['Alert {object} on {place}', 'Alert {object}'] },
  assign: {
    assigned: TRACKED.assigned ?? [],
    unassigned: TRACKED.unassigned ?? [],
  },
  badge: {
    granted: ['{doer} gave badge {badge} to {concerned}', '{concerned} got badge {badge}', 'Badge {badge} was granted'],
    revoked: [
      ...['{doer} took badge {badge} from {concerned}', '{concerned} lost badge {badge}'],
      ...['Badge {badge} was revoked'],
    ],
  },
  branch: kept('branch'),
  category: kept('category'),
  category_experts: {
    ...{ approved: EXPERT_APPROVED, 'approved=approved': EXPERT_APPROVED },
    ...{ unapproved: EXPERT_UNAPPROVED, 'unapproved=unapproved': EXPERT_UNAPPROVED },
  },
  check_run: runs('check'),
  check_suite: runs('checks'),
  comment: {
    ...spoken('a comment', 'on'),
    created: [
      ...['{doer} commented on commit {commit} of {place}', '{doer} commented on design {design} of {place}'],
      '{doer} commented on {place}',
      'A comment was added on {place}',
    ],
  },
  deploy_token: { expiring: 'Deploy token {object} of {place} is about to expire' },
  deployment: {
    ...runs('deployment to', 'in'),
    created: [
      ...['{doer} started deployment to {object} in {place}', '{doer} started deployment in {place}'],
      ...['Deployment to {object} in {place} started', 'Deployment in {place} started'],
    ],
  },
  deployment_status: {
    created: [
      ...['{doer} reported deployment to {environment} in {place}', 'Deployment to {environment} in {place}'],
      ...['{doer} reported on a deployment in {place}', 'Deployment in {place}'],
    ],
  },
  discussion: {
    ...TRACKED,
    answered: ['{doer} marked an answer in {place}', 'An answer was marked in {place}'],
    unanswered: ['{doer} took the answer mark off {place}', 'The answer mark of {place} was taken off'],
    category_changed: ['{doer} moved {place} to another category', '{place} was moved to another category'],
  },
  feature_flag: { enabled: 'switched on ~feature flag', disabled: 'switched off ~feature flag' },
  fork: {
    created: [
      '{doer} forked {place} to {object}',
      '{place} was forked to {object}',
      '{doer} forked {place}',
      '{place} was forked',
    ],
  },
  group: {
    ...kept('group'),
    renamed: ['{doer} renamed group {from} to {place}', 'Group {from} was renamed to {place}', 'renamed ~group'],
  },
  group_member: MEMBERSHIP,
  issue: TRACKED,
  job: runs('job'),
  key: {
    created: [
      ...['{doer} added a key of {concerned}', 'A key of {concerned} was added'],
      ...['{doer} added a key to {within}', 'A key was added to {within}'],
    ],
    deleted: [
      ...['{doer} removed a key of {concerned}', 'A key of {concerned} was removed'],
      ...['{doer} removed a key from {within}', 'A key was removed from {within}'],
    ],
  },
  label: kept('label'),
  member: MEMBERSHIP,
  membership: TEAM_MEMBERSHIP,
  message: {
    ...spoken('a message', 'in'),
    created: ['{doer} wrote to {direct}', '{doer} wrote in {place}', 'A message was written in {place}'],
    moved: [
      ...['{doer} moved a message from {from} to {place}', 'A message was moved from {from} to {place}'],
      ...['{doer} moved a message to {place}', 'A message was moved to {place}'],
    ],
  },
  milestone: kept('milestone'),
  notification: {
    created: [
      ...['{doer} caused a notification for {concerned} about {about}', '{doer} caused a notification about {about}'],
      ...['{concerned} was notified about {about}', '{doer} caused a notification for {concerned}'],
      ...['{doer} caused a notification', '{concerned} was notified', 'A notification was sent'],
    ],
  },
  organization: {
    ...kept('organization'),
    ...ORGANIZATION,
    renamed: [
      ...['{doer} renamed organization {from} to {place}', 'Organization {from} was renamed to {place}'],
      'renamed ~organization',
    ],
  },
  package: { ...kept('package'), created: 'published ~package' },
  pipeline: runs('pipeline'),
  post: {
    ...spoken('a post', 'in'),
    created: ['{doer} posted in {place}', 'A post was added in {place}'],
    liked: [
      '{doer} liked a post by {concerned} in {place}',
      '{doer} liked a post in {place}',
      'A post in {place} was liked',
    ],
  },
  pull_request: {
    ...TRACKED,
    merged: 'merged',
    approved: 'approved',
    ...{ unapproved: UNAPPROVED, 'unapproved=unapproved': UNAPPROVED },
    ...{ approval: APPROVAL_ADDED, 'approval=approved': APPROVAL_ADDED },
    ...{ unapproval: APPROVAL_REMOVED, 'unapproval=unapproved': APPROVAL_REMOVED },
    review_requested: [
      ...['{doer} asked {reviewer} to review {place}', '{reviewer} was asked to review {place}'],
      ...['{doer} asked for a review of {place}', 'A review of {place} was requested'],
    ],
    review_request_removed: [
      ...['{doer} no longer asks {reviewer} to review {place}', '{reviewer} is no longer asked to review {place}'],
      ...['{doer} no longer asks for a review of {place}', 'A review of {place} is no longer requested'],
    ],
    ready_for_review: ['{doer} made {place} ready for review', '{place} is ready for review'],
    converted_to_draft: ['{doer} made {place} a draft', '{place} was made a draft'],
    auto_merge_enabled: [
      '{doer} switched on automatic merging of {place}',
      'Automatic merging of {place} was switched on',
    ],
    auto_merge_disabled: [
      ...['{doer} switched off automatic merging of {place}', 'Automatic merging of {place} was switched off'],
    ],
    enqueued: ['{doer} queued {place} for merging', '{place} was queued for merging'],
    dequeued: ['{doer} took {place} out of the merge queue', '{place} was taken out of the merge queue'],
  },
  push: {
    created: ['{doer} pushed to {place}', '{place} was pushed to'],
    deleted: ['{doer} deleted {place} by a push', '{place} was deleted by a push'],
  },
  reaction: {
    added: ['{doer} reacted with {object} to {place}', '{doer} reacted to {place}', 'A reaction was added to {place}'],
    removed: [
      ...['{doer} took back reaction {object} to {place}', '{doer} took back a reaction to {place}'],
      'A reaction to {place} was taken back',
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
  registry_package: { ...kept('package'), created: 'published ~package' },
  release: {
    ...kept('release'),
    unpublished: 'unpublished ~release',
    prereleased: 'published ~pre-release',
    released: 'released',
  },
  reply: {
    ...spoken('a reply', 'in'),
    created: ['{doer} replied in {place}', 'A reply was added in {place}'],
  },
  repository: {
    ...kept('repository'),
    created: 'created ~repository',
    updated: ['{doer} changed the {fields} of {place}', 'The {fields} of {place} changed', 'changed ~repository'],
    renamed: ['{doer} renamed {from} to {place}', '{from} was renamed to {place}', 'renamed ~repository'],
    transferred: [
      '{doer} transferred {from} to {place}',
      '{from} was transferred to {place}',
      'transferred ~repository',
    ],
    publicized: ['{doer} made {place} public', '{place} was made public'],
    privatized: ['{doer} made {place} private', '{place} was made private'],
  },
  review: {
    submitted: ['{doer} reviewed {place}', '{place} was reviewed'],
    'submitted=approved': ['{doer} approved {place}', '{place} was approved'],
    'submitted=changes_requested': ['{doer} asked for changes to {place}', 'Changes to {place} were requested'],
    'submitted=commented': ['{doer} reviewed {place}', '{place} was reviewed'],
    updated: ['{doer} changed a review of {place}', 'A review of {place} was changed'],
    dismissed: [
      ...[
        '{doer} dismissed the review by {concerned} of {place}',
        'The review by {concerned} of {place} was dismissed',
      ],
      ...['{doer} dismissed a review of {place}', 'A review of {place} was dismissed'],
    ],
  },
  review_comment: {
    ...spoken('a comment', 'on'),
    created: ['{doer} commented on {place}', 'A comment was added on {place}'],
  },
  review_thread: {
    resolved: ['{doer} resolved a thread of {place}', 'A thread of {place} was resolved'],
    unresolved: ['{doer} reopened a thread of {place}', 'A thread of {place} was reopened'],
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
        '{doer} took the solution mark off the answer by {concerned} in {place}',
        'The solution mark of the answer by {concerned} in {place} was taken off',
      ],
      ...['{doer} took the solution mark off {place}', 'The solution mark of {place} was taken off'],
    ],
  },
  star: {
    created: ['{doer} starred {place}', '{place} was starred'],
    deleted: ['{doer} took back the star for {place}', 'A star for {place} was taken back'],
  },
  status: {
    '*': [
      ...['{doer} reported check {object} on {place}', '{doer} reported a check on {place}'],
      ...['Check {object} on {place}', 'Check on {place}'],
    ],
  },
  stream: {
    ...kept('channel'),
    updated: [
      ...['{doer} renamed channel {from} to {place}', 'Channel {from} was renamed to {place}'],
      ...['{doer} changed the {fields} of {place}', 'The {fields} of {place} changed', 'changed ~channel'],
    ],
  },
  subgroup: kept('subgroup'),
  submessage: {
    received: ['{doer} answered in a widget of {place}', 'A widget of {place} was answered'],
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
  tag: kept('tag'),
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
    topic_unvote: ['{doer} took back a vote for {place}', 'A vote for {place} was taken back'],
  },
  user: ACCOUNT,
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
  ledger: { erased: ['{doer} erased the content of {object}', 'The content of {object} was erased'] },
  vulnerability: {
    detected: 'found ~vulnerability',
    confirmed: 'confirmed ~vulnerability',
    dismissed: 'dismissed ~vulnerability',
    resolved: 'resolved ~vulnerability',
  },
  watch: { created: ['{doer} watches {place}', '{place} is watched'] },
  wiki_page: { ...kept('wiki page'), created: 'wrote ~wiki page' },
  work_item: TRACKED,
  workflow_job: runs('job'),
  workflow_run: runs('workflow'),
}
