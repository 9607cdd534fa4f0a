/**
 * Sentences by kind of event: the one table for pages and commands.
 *
 * A sentence is a template with names in braces: `{actor}` acted, `{concerned}` is the person acted upon, `{self}` is an
 * actor who is also that person, `{object}` is the target's own name, `{place}` is the target with its
 * parents, outermost first, without what the sentence names elsewhere, `{within}` the same without the target. Others
 * are members of `action.metadata`, such as `{label}`. The first template applies for which the event has all names; if
 * the event names no actor, the first without one.
 *
 * A text in lower case is a participle: `closed` means `{actor} closed {place}` and `Issue {place} was closed`.
 * With a noun after a tilde, `closed ~milestone` means `{actor} closed milestone {place}` and `Milestone {place}
 * was closed`.
 *
 * The key `submitted=approved` applies if the outcome, or the metadata's `value`, is `approved`. The key `*` applies to
 * every other verb.
 *
 * Source: the kinds of `GET /api/platforms`.
 */

import { UPKEEP_SENTENCES } from './administration-sentences.js'
import { TALK_SENTENCES } from './discussion-sentences.js'
import {
  ACCOUNT,
  kept,
  MEMBERSHIP,
  ORGANIZATION,
  runs,
  TEAM_MEMBERSHIP,
  TRACKED,
  type VerbSentences,
  writtenText,
} from './sentence-families.js'

const APPROVAL_ADDED = ['{actor} added an approval to {place}', 'An approval was added to {place}']
const APPROVAL_REMOVED = ['{actor} revoked an approval of {place}', 'An approval of {place} was revoked']
const UNAPPROVED = ['{actor} revoked the approval of {place}', 'The approval of {place} was revoked']

/** Object type → verb → sentences. */
export const KIND_SENTENCES: Readonly<Record<string, VerbSentences>> = {
  ...TALK_SENTENCES,
  ...UPKEEP_SENTENCES,
  access_token: { expiring: 'Access token {object} of {place} is about to expire' },
  alert: { received: ['Alert {object} on {place}', 'Alert {object}'] },
  assign: {
    assigned: TRACKED.assigned ?? [],
    unassigned: TRACKED.unassigned ?? [],
  },
  branch: kept('branch'),
  check_run: runs('check'),
  check_suite: runs('checks'),
  comment: {
    ...writtenText('a comment', 'on'),
    created: [
      ...['{actor} commented on commit {commit} of {place}', '{actor} commented on design {design} of {place}'],
      '{actor} commented on {place}',
      'A comment was added on {place}',
    ],
  },
  deploy_token: { expiring: 'Deploy token {object} of {place} is about to expire' },
  deployment: {
    ...runs('deployment to', 'in'),
    created: [
      ...['{actor} started deployment to {object} in {place}', '{actor} started deployment in {place}'],
      ...['Deployment to {object} in {place} started', 'Deployment in {place} started'],
    ],
  },
  deployment_status: {
    created: [
      ...['{actor} reported deployment to {environment} in {place}', 'Deployment to {environment} in {place}'],
      ...['{actor} reported on a deployment in {place}', 'Deployment in {place}'],
    ],
  },
  discussion: {
    ...TRACKED,
    answered: ['{actor} marked an answer in {place}', 'An answer was marked in {place}'],
    unanswered: ['{actor} unmarked the answer in {place}', 'The answer in {place} was unmarked'],
    category_changed: ['{actor} moved {place} to another category', '{place} was moved to another category'],
  },
  feature_flag: { enabled: 'switched on ~feature flag', disabled: 'switched off ~feature flag' },
  fork: {
    created: [
      '{actor} forked {place} to {object}',
      '{place} was forked to {object}',
      '{actor} forked {place}',
      '{place} was forked',
    ],
  },
  group: {
    ...kept('group'),
    renamed: ['{actor} renamed group {from} to {place}', 'Group {from} was renamed to {place}', 'renamed ~group'],
  },
  group_member: MEMBERSHIP,
  issue: TRACKED,
  job: runs('job'),
  key: {
    created: [
      ...['{actor} added a key of {concerned}', 'A key of {concerned} was added'],
      ...['{actor} added a key to {within}', 'A key was added to {within}'],
    ],
    deleted: [
      ...['{actor} removed a key of {concerned}', 'A key of {concerned} was removed'],
      ...['{actor} removed a key from {within}', 'A key was removed from {within}'],
    ],
  },
  label: kept('label'),
  member: MEMBERSHIP,
  membership: TEAM_MEMBERSHIP,
  milestone: kept('milestone'),
  organization: {
    ...kept('organization'),
    ...ORGANIZATION,
    renamed: [
      ...['{actor} renamed organization {from} to {place}', 'Organization {from} was renamed to {place}'],
      'renamed ~organization',
    ],
  },
  package: { ...kept('package'), created: 'published ~package' },
  pipeline: runs('pipeline'),
  pull_request: {
    ...TRACKED,
    'updated=new_commits': ['{actor} pushed commits to {place}', 'Commits were pushed to {place}'],
    merged: 'merged',
    approved: 'approved',
    unapproved: UNAPPROVED,
    'unapproved=unapproved': UNAPPROVED,
    approval: APPROVAL_ADDED,
    'approval=approved': APPROVAL_ADDED,
    unapproval: APPROVAL_REMOVED,
    'unapproval=unapproved': APPROVAL_REMOVED,
    review_requested: [
      ...['{actor} asked {reviewer} to review {place}', '{reviewer} was asked to review {place}'],
      ...['{actor} requested a review of {place}', 'A review of {place} was requested'],
    ],
    review_request_removed: [
      ...['{actor} removed {reviewer} as reviewer of {place}', '{reviewer} was removed as reviewer of {place}'],
      ...['{actor} withdrew a request to review {place}', 'A request to review {place} was withdrawn'],
    ],
    ready_for_review: ['{actor} marked {place} as ready for review', '{place} is ready for review'],
    converted_to_draft: ['{actor} converted {place} to a draft', '{place} was converted to a draft'],
    auto_merge_enabled: ['{actor} enabled automatic merging of {place}', 'Automatic merging of {place} was enabled'],
    auto_merge_disabled: [
      ...['{actor} disabled automatic merging of {place}', 'Automatic merging of {place} was disabled'],
    ],
    enqueued: ['{actor} added {place} to the merge queue', '{place} was added to the merge queue'],
    dequeued: ['{actor} removed {place} from the merge queue', '{place} was removed from the merge queue'],
  },
  push: {
    created: ['{actor} pushed to {place}', '{place} was pushed to'],
    deleted: ['{actor} deleted {place} by a push', '{place} was deleted by a push'],
  },
  registry_package: { ...kept('package'), created: 'published ~package' },
  release: {
    ...kept('release'),
    unpublished: 'unpublished ~release',
    prereleased: 'published ~pre-release',
    released: 'released',
  },
  repository: {
    ...kept('repository'),
    created: 'created ~repository',
    updated: ['{actor} changed the {fields} of {place}', 'The {fields} of {place} changed', 'changed ~repository'],
    renamed: ['{actor} renamed {from} to {place}', '{from} was renamed to {place}', 'renamed ~repository'],
    transferred: [
      '{actor} transferred {from} to {place}',
      '{from} was transferred to {place}',
      'transferred ~repository',
    ],
    publicized: ['{actor} made {place} public', '{place} was made public'],
    privatized: ['{actor} made {place} private', '{place} was made private'],
  },
  review: {
    submitted: ['{actor} reviewed {place}', '{place} was reviewed'],
    'submitted=approved': ['{actor} approved {place}', '{place} was approved'],
    'submitted=changes_requested': ['{actor} requested changes to {place}', 'Changes to {place} were requested'],
    'submitted=commented': ['{actor} reviewed {place}', '{place} was reviewed'],
    updated: ['{actor} changed a review of {place}', 'A review of {place} was changed'],
    dismissed: [
      ...[
        '{actor} dismissed the review by {concerned} of {place}',
        'The review by {concerned} of {place} was dismissed',
      ],
      ...['{actor} dismissed a review of {place}', 'A review of {place} was dismissed'],
    ],
  },
  review_comment: {
    ...writtenText('a comment', 'on'),
    created: ['{actor} commented on {place}', 'A comment was added on {place}'],
  },
  review_thread: {
    resolved: ['{actor} resolved a thread of {place}', 'A thread of {place} was resolved'],
    unresolved: ['{actor} reopened a thread of {place}', 'A thread of {place} was reopened'],
  },
  star: {
    created: ['{actor} starred {place}', '{place} was starred'],
    deleted: ['{actor} unstarred {place}', '{place} was unstarred'],
  },
  status: {
    '*': [
      ...['{actor} reported check {object} on {place}', '{actor} reported a check on {place}'],
      ...['Check {object} on {place}', 'Check on {place}'],
    ],
  },
  subgroup: kept('subgroup'),
  tag: kept('tag'),
  user: ACCOUNT,
  ledger: { erased: ['{actor} erased the content of {object}', 'The content of {object} was erased'] },
  vulnerability: {
    detected: 'found ~vulnerability',
    confirmed: 'confirmed ~vulnerability',
    dismissed: 'dismissed ~vulnerability',
    resolved: 'resolved ~vulnerability',
  },
  watch: { created: ['{actor} started watching {place}', '{place} is watched'] },
  wiki_page: { ...kept('wiki page'), created: 'created ~wiki page' },
  work_item: TRACKED,
  workflow_job: runs('job'),
  workflow_run: runs('workflow'),
}
