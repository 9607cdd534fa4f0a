import type { Occurrence } from '../mapping/mapped-event.js'
import { toNode } from '../mapping/node.js'
import { idAt, instantAt, isTrue, known, objectAt, type Payload, textAt, webUrlAt } from '../mapping/payload.js'
import { toOutcome } from '../mapping/words.js'
import { editedText } from './changes.js'
import { conversationOf, type Hook, type Mapped, verbOf } from './hook.js'
import { mapIssueLike } from './issue.js'
import { authorOf, pathInRepository, pullRequestNode } from './target-nodes.js'

/** A closed pull request becomes `merged` if it was merged. The platform has no separate action. */
export function mapPullRequest(hook: Hook): Mapped {
  const object = objectAt(hook.body, 'pull_request')
  const native = verbOf(hook)
  const verb = native === 'closed' && isTrue(object, 'merged') ? 'merged' : native
  const target = pullRequestNode(hook, object)
  const mapped = mapIssueLike(hook, { objectType: 'pull_request', object, verb, target })
  if (!isPush(hook)) return mapped
  const { occurredAt } = mapped
  return { ...mapped, occurrence: [headOf(hook, object), ...(occurredAt === undefined ? [] : [occurredAt])] }
}

/** New commits. The new head distinguishes updates; the time distinguishes a return to an earlier head. */
function isPush({ nativeAction }: Hook): boolean {
  return nativeAction === 'synchronize' || nativeAction === 'synchronized'
}

function headOf({ body }: Hook, pull: Payload | undefined): string | undefined {
  return textAt(body, 'after') ?? textAt(objectAt(pull, 'head'), 'sha')
}

export function mapReview(hook: Hook): Mapped {
  const review = objectAt(hook.body, 'review')
  const pull = objectAt(hook.body, 'pull_request')
  const verb = reviewVerb(hook)
  const id = idAt(review, 'id')
  const state = reviewState(hook, review)
  const carrier = pullRequestNode(hook, pull)
  const changedAt = instantAt(review, 'updated_at') ?? instantAt(pull, 'updated_at')
  const submitted = verb === 'submitted'
  const identity = id ?? idlessReview(hook, pull)
  const text = textAt(review, 'body') ?? textAt(review, 'content')
  const url = webUrlAt(review, 'html_url')
  return {
    objectType: 'review',
    verb,
    subjectId: identity,
    identity,
    occurrence: reviewOccurrence({ verb, id, state, changedAt, edited: editedText(review) }),
    outcome: submitted || verb === 'dismissed' ? toOutcome(state) : undefined,
    occurredAt: submitted ? (instantAt(review, 'submitted_at') ?? changedAt) : changedAt,
    target: toNode('review', {
      id: identity,
      display: state,
      url,
      metadata: known({ state, author: authorOf(review) }),
      parent: carrier,
    }),
    conversation: conversationOf(hook, carrier, { text, url }),
    written: review,
    metadata: known({ review_state: state, concerned: verb === 'dismissed' ? authorOf(review) : undefined }),
  }
}

/** Gitea's reviews have no id. Pull request, reviewer, content and time identify a review. */
function idlessReview(hook: Hook, pull: Payload | undefined): string | undefined {
  const reviewer = idAt(hook.sender, 'id')
  const number = idAt(pull, 'number') ?? idAt(hook.body, 'number')
  return reviewer === undefined || number === undefined
    ? undefined
    : pathInRepository(hook, `${number}/review/${reviewer}`)
}

interface ReviewParts {
  verb: string
  id: string | undefined
  state: string | undefined
  changedAt: string | undefined
  edited: string
}

function reviewOccurrence({ verb, id, state, changedAt, edited }: ReviewParts): Occurrence {
  if (id === undefined) return [state, changedAt, edited]
  if (verb === 'submitted') return 'once'
  return verb === 'updated' ? [changedAt, edited] : [changedAt]
}

/** Gitea's `reviewed` is GitHub's `submitted`. */
function reviewVerb(hook: Hook): string {
  const verb = verbOf(hook)
  return verb === 'reviewed' ? 'submitted' : verb
}

/** Servers other than GitHub put the state into the name of the event or of the review's type. */
function reviewState({ nativeName }: Hook, review: Payload | undefined): string | undefined {
  const state = textAt(review, 'state')?.toLowerCase()
  if (state !== undefined) return state
  const names = `${nativeName} ${textAt(review, 'type') ?? ''}`
  if (names.includes('_approved')) return 'approved'
  if (names.includes('_rejected')) return 'changes_requested'
  return names.includes('_comment') ? 'commented' : undefined
}

export function mapReviewThread(hook: Hook): Mapped {
  const thread = objectAt(hook.body, 'thread')
  const pull = objectAt(hook.body, 'pull_request')
  const id = idAt(thread, 'node_id') ?? idAt(thread, 'id')
  const carrier = pullRequestNode(hook, pull)
  const changedAt = instantAt(hook.body, 'updated_at') ?? instantAt(pull, 'updated_at')
  return {
    objectType: 'review_thread',
    verb: verbOf(hook),
    subjectId: id,
    identity: id,
    occurrence: [changedAt],
    occurredAt: changedAt,
    target: toNode('review_thread', { id, parent: carrier }),
    conversation: conversationOf(hook, carrier, {}),
  }
}
