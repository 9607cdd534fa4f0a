/** Verbs of one object type: the event's verb → what stands between who and what. */
type Verbs = Readonly<Record<string, string>>

/** What is opened, talked about and closed. */
const TRACKED: Verbs = {
  created: 'opened',
  updated: 'changed',
  deleted: 'deleted',
  closed: 'closed',
  reopened: 'reopened',
  assigned: 'assigned',
  unassigned: 'unassigned',
  labeled: 'labelled',
  unlabeled: 'took a label off',
  label_updated: 'changed the labels of',
  label_cleared: 'took all labels off',
  milestoned: 'set a milestone for',
  demilestoned: 'took the milestone off',
  locked: 'locked',
  unlocked: 'unlocked',
  transferred: 'moved',
  pinned: 'pinned',
  unpinned: 'unpinned',
}

/** What is made, changed and taken away. */
const KEPT: Verbs = { created: 'created', updated: 'changed', deleted: 'deleted', restored: 'restored' }

const COMMENTS: Verbs = {
  created: 'commented on',
  updated: 'edited a comment on',
  deleted: 'deleted a comment on',
  restored: 'restored a comment on',
}

/** What a machine does, by its state. @param noun such as `pipeline` */
function running(noun: string): Verbs {
  return {
    created: `created ${noun} on`,
    requested: `asked for ${noun} on`,
    rerequested: `asked again for ${noun} on`,
    requested_action: `asked for an action of ${noun} on`,
    queued: `queued ${noun} on`,
    pending: `queued ${noun} on`,
    waiting: `holds ${noun} on`,
    waiting_for_resource: `holds ${noun} on`,
    waiting_for_callback: `holds ${noun} on`,
    blocked: `holds ${noun} on`,
    preparing: `prepares ${noun} on`,
    running: `runs ${noun} on`,
    in_progress: `runs ${noun} on`,
    completed: `finished ${noun} on`,
    success: `finished ${noun} on`,
    recovered: `mended ${noun} on`,
    failed: `failed ${noun} on`,
    failure: `failed ${noun} on`,
    error: `failed ${noun} on`,
    canceling: `cancels ${noun} on`,
    canceled: `cancelled ${noun} on`,
    skipped: `skipped ${noun} on`,
    manual: `holds ${noun} for a person on`,
    scheduled: `scheduled ${noun} on`,
    approved: `approved ${noun} on`,
    rejected: `rejected ${noun} on`,
  }
}

/**
 * What is said of an event, by its object type and verb. The one place for it: whatever is not here is told in the
 * event's own words.
 *
 * Source: the kinds of `GET /api/platforms`.
 */
export const KIND_VERBS: Readonly<Record<string, Verbs>> = {
  access_token: { expiring: 'has an access token about to expire in' },
  assign: { assigned: 'assigned', unassigned: 'unassigned' },
  badge: { granted: 'was granted', revoked: 'lost' },
  branch: { created: 'created branch', deleted: 'deleted branch' },
  category: KEPT,
  check_run: running('check'),
  check_suite: running('checks'),
  comment: COMMENTS,
  deploy_token: { expiring: 'has a deploy token about to expire in' },
  deployment: { ...running('deployment'), created: 'started deployment to' },
  deployment_status: { created: 'reported on deployment to' },
  discussion: {
    ...TRACKED,
    answered: 'marked an answer in',
    unanswered: 'took the answer mark off',
    category_changed: 'moved to another category',
  },
  feature_flag: { enabled: 'switched on', disabled: 'switched off' },
  fork: { created: 'forked' },
  group: { ...KEPT, renamed: 'renamed' },
  group_member: { added: 'joined', removed: 'left' },
  issue: { ...TRACKED, typed: 'set the type of', untyped: 'took the type off' },
  job: running('job'),
  key: { created: 'added a key to', deleted: 'removed a key from' },
  member: {
    added: 'joined',
    removed: 'left',
    updated: 'has another role in',
    requested: 'asked to join',
    denied: 'was not let into',
  },
  message: {
    created: 'wrote in',
    updated: 'edited a message in',
    deleted: 'deleted a message in',
    restored: 'restored a message in',
    moved: 'moved messages in',
  },
  milestone: {
    created: 'set milestone',
    closed: 'closed milestone',
    reopened: 'reopened milestone',
    deleted: 'deleted milestone',
  },
  notification: { created: 'was notified of' },
  package: { created: 'published package', updated: 'changed package', deleted: 'deleted package' },
  page: { built: 'built the pages of' },
  pipeline: running('pipeline'),
  post: {
    created: 'posted in',
    updated: 'edited a post in',
    deleted: 'deleted a post in',
    restored: 'restored a post in',
    liked: 'liked a post in',
  },
  pull_request: {
    ...TRACKED,
    merged: 'merged',
    approved: 'approved',
    unapproved: 'took the approval off',
    approval: 'added an approval to',
    unapproval: 'took an approval off',
    review_requested: 'asked for a review of',
    review_request_removed: 'no longer asks for a review of',
    ready_for_review: 'made ready for review',
    converted_to_draft: 'made a draft of',
    auto_merge_enabled: 'set to merge by itself',
    auto_merge_disabled: 'no longer lets merge by itself',
    enqueued: 'queued for merging',
    dequeued: 'took out of the merge queue',
  },
  push: { created: 'pushed to', deleted: 'deleted by push' },
  reaction: { added: 'reacted to', removed: 'took back a reaction to' },
  realm: { updated: 'changed', deactivated: 'deactivated' },
  realm_bot: { added: 'added bot', updated: 'changed bot', removed: 'removed bot', deleted: 'deleted bot' },
  realm_user: { added: 'joined', updated: 'changed profile', removed: 'left' },
  registry_package: { created: 'published package', updated: 'changed package' },
  release: {
    created: 'created release',
    updated: 'changed release',
    deleted: 'deleted release',
    published: 'published',
    unpublished: 'unpublished',
    prereleased: 'published early',
    released: 'released',
  },
  reply: {
    created: 'replied in',
    updated: 'edited a reply in',
    deleted: 'deleted a reply in',
    restored: 'restored a reply in',
  },
  repository: {
    created: 'created',
    updated: 'changed',
    deleted: 'deleted',
    renamed: 'renamed',
    transferred: 'transferred',
    publicized: 'made public',
  },
  review: {
    submitted: 'reviewed',
    updated: 'changed a review of',
    dismissed: 'dismissed a review of',
  },
  review_comment: COMMENTS,
  review_thread: { resolved: 'resolved a thread of', unresolved: 'reopened a thread of' },
  reviewable: {
    created: 'put up for review',
    score_updated: 'was scored in review',
    transitioned_to: 'was decided on in review',
  },
  solution: { accepted: 'marked a solution in', unaccepted: 'took the solution mark off' },
  star: { created: 'starred', deleted: 'took back the star for' },
  status: running('check'),
  stream: { created: 'created channel', updated: 'changed channel', deleted: 'deleted channel' },
  subgroup: { created: 'created', deleted: 'deleted' },
  subscription: {
    added: 'subscribed to',
    removed: 'unsubscribed from',
    updated: 'changed the subscription of',
    peer_added: 'subscribed people to',
    peer_removed: 'unsubscribed people from',
  },
  tag: { created: 'created tag', updated: 'moved tag', deleted: 'deleted tag' },
  topic: {
    created: 'opened',
    updated: 'changed',
    deleted: 'deleted',
    restored: 'restored',
    closed: 'closed',
    reopened: 'reopened',
    closed_changed: 'closed or reopened',
    autoclosed_changed: 'closed or reopened by itself',
    archived_changed: 'archived or unarchived',
    pinned_changed: 'pinned or unpinned',
    pinned_globally_changed: 'pinned or unpinned everywhere',
    visible_changed: 'showed or hid',
  },
  topic_voting: { topic_upvote: 'voted for', topic_unvote: 'took back a vote for' },
  user: {
    created: 'signed up',
    approved: 'was approved',
    updated: 'changed profile',
    deleted: 'was deleted',
    logged_in: 'logged in',
    logged_out: 'logged out',
    confirmed_email: 'confirmed an address',
    promoted: 'was promoted',
    suspended: 'was suspended',
    unsuspended: 'may come back',
    renamed: 'was renamed',
    failed_login: 'failed to log in',
  },
  vulnerability: {
    detected: 'found vulnerability',
    confirmed: 'confirmed vulnerability',
    dismissed: 'dismissed vulnerability',
    resolved: 'resolved vulnerability',
  },
  watch: { created: 'watches' },
  wiki: { updated: 'changed the wiki of' },
  wiki_page: { created: 'wrote wiki page', updated: 'changed wiki page', deleted: 'deleted wiki page' },
  work_item: TRACKED,
  workflow_job: running('job'),
  workflow_run: running('workflow'),
}

/** Where the kind alone does not say how it went, a member of the action's metadata does: its value → words. */
export const OUTCOME_VERBS: Readonly<Record<string, { member: string; verbs: Verbs }>> = {
  'review.submitted': {
    member: 'review_state',
    verbs: { approved: 'approved', changes_requested: 'asked for changes to', commented: 'reviewed' },
  },
  'check_run.completed': { member: 'conclusion', verbs: concluded('check') },
  'check_suite.completed': { member: 'conclusion', verbs: concluded('checks') },
  'workflow_run.completed': { member: 'conclusion', verbs: concluded('workflow') },
  'workflow_job.completed': { member: 'conclusion', verbs: concluded('job') },
}

function concluded(noun: string): Verbs {
  return {
    failure: `failed ${noun} on`,
    timed_out: `ran out of time in ${noun} on`,
    cancelled: `cancelled ${noun} on`,
    skipped: `skipped ${noun} on`,
  }
}
