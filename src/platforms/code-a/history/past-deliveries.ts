/**
 * The deliveries that webhooks would have sent for the items of the REST API's lists. Each has the same objects in the
 * same members, so the adapter gives the event the same dedupe key. An object that has changed since is in its current
 * state.
 */
import { idOf, type PastDelivery, timeOf, UnusableItem } from '../../history/item-events.js'
import { idAt, instantAt, known, memberOf, objectAt, type Payload, textAt } from '../../mapping/payload.js'

export interface Repository {
  /** As webhooks send it, without the address templates. */
  payload: Payload
  flavour: 'github' | 'gitea'
  /** RFC 3339 in UTC, six digits. */
  since: string
}

export function issueDeliveries(repository: Repository, issue: Payload): PastDelivery[] {
  idOf(issue)
  const opened = { at: timeOf(issue, 'created_at'), action: 'opened', sender: objectAt(issue, 'user') }
  const closedAt = instantAt(issue, 'closed_at')
  const closed =
    closedAt === undefined ? [] : [{ at: closedAt, action: 'closed', sender: objectAt(issue, 'closed_by') }]
  return [opened, ...closed]
    .filter(({ at }) => at >= repository.since)
    .map(({ action, sender }) => delivery(repository, 'issues', { action, issue, sender }))
}

/** In lists, a pull request has no `merged`, only the time of merging. */
export function pullRequestDeliveries(repository: Repository, pull: Payload): PastDelivery[] {
  idOf(pull)
  const mergedAt = instantAt(pull, 'merged_at')
  const closedAt = instantAt(pull, 'closed_at')
  const opened = { at: timeOf(pull, 'created_at'), action: 'opened', sender: objectAt(pull, 'user') }
  const end = mergedAt ?? closedAt
  const closed = end === undefined ? [] : [{ at: end, action: 'closed', sender: objectAt(pull, 'merged_by') }]
  const pull_request = { ...pull, merged: mergedAt !== undefined }
  return [opened, ...closed]
    .filter(({ at }) => at >= repository.since)
    .map(({ action, sender }) =>
      delivery(repository, 'pull_request', { action, number: memberOf(pull, 'number'), pull_request, sender }),
    )
}

/** Only its author can see a review that is not submitted yet. */
export function reviewDeliveries(repository: Repository, pull_request: Payload, review: Payload): PastDelivery[] {
  if (textAt(review, 'state') === 'PENDING') return []
  idOf(review)
  if (timeOf(review, 'submitted_at') < repository.since) return []
  const sender = objectAt(review, 'user')
  return [delivery(repository, 'pull_request_review', { action: 'submitted', review, pull_request, sender })]
}

/** @param of members with the subject of the comment */
export function commentDeliveries(
  repository: Repository,
  event: 'issue_comment' | 'pull_request_review_comment' | 'commit_comment',
  comment: Payload,
  of: Readonly<Record<string, unknown>> = {},
): PastDelivery[] {
  idOf(comment)
  if (timeOf(comment, 'created_at') < repository.since) return []
  return [delivery(repository, event, { action: 'created', ...of, comment, sender: objectAt(comment, 'user') })]
}

/** Drafts are not published. */
export function releaseDeliveries(repository: Repository, release: Payload): PastDelivery[] {
  if (memberOf(release, 'draft') === true) return []
  idOf(release)
  if (timeOf(release, 'published_at') < repository.since) return []
  return [delivery(repository, 'release', { action: 'published', release, sender: objectAt(release, 'author') })]
}

export function starDeliveries(repository: Repository, star: Payload): PastDelivery[] {
  const sender = objectAt(star, 'user')
  if (idAt(sender, 'id') === undefined) throw new UnusableItem('it has no user')
  if (timeOf(star, 'starred_at') < repository.since) return []
  return [delivery(repository, 'star', { action: 'created', starred_at: memberOf(star, 'starred_at'), sender })]
}

function delivery(
  { payload: repository, flavour }: Repository,
  event: string,
  { sender, ...members }: Record<string, unknown>,
): PastDelivery {
  return { headers: { [`x-${flavour}-event`]: event }, body: known({ ...members, repository, sender }) }
}
