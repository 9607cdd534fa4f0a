/**
 * Comments of four types. Their ids come from four counters, so keys of commit and discussion comments include the
 * counter's name; otherwise a commit comment could count as a repeat of an issue comment.
 */
import type { TargetNode } from '../../model/events/event.js'
import { toNode } from '../mapping/node.js'
import { idAt, instantAt, known, objectAt, type Payload, textAt, webUrlAt } from '../mapping/payload.js'
import { editedText } from './changes.js'
import { conversationOf, type Hook, type Mapped, verbOf } from './hook.js'
import { authorOf, commitNode, discussionNode, issueOrPullRequestNode, pullRequestNode } from './target-nodes.js'

interface CommentParts {
  objectType: 'comment' | 'review_comment'
  /** The parent of the conversation. */
  carrier: TargetNode | undefined
  /** The parent of the comment, if not the carrier itself. */
  parent?: TargetNode | undefined
  /** Name of the comment's id counter, if another counter has the same object type. */
  counter?: string
  metadata?: Record<string, unknown>
}

export function mapIssueComment(hook: Hook): Mapped {
  const carrier = issueOrPullRequestNode(hook, objectAt(hook.body, 'issue'))
  return mapComment(hook, { objectType: 'comment', carrier })
}

export function mapDiscussionComment(hook: Hook): Mapped {
  const carrier = discussionNode(hook, objectAt(hook.body, 'discussion'))
  return mapComment(hook, { objectType: 'comment', counter: 'discussion', carrier })
}

export function mapCommitComment(hook: Hook): Mapped {
  const comment = objectAt(hook.body, 'comment')
  const carrier = commitNode(hook, textAt(comment, 'commit_id'))
  return mapComment(hook, { objectType: 'comment', counter: 'commit', carrier, metadata: placeOf(comment) })
}

export function mapReviewComment(hook: Hook): Mapped {
  const comment = objectAt(hook.body, 'comment')
  const carrier = pullRequestNode(hook, objectAt(hook.body, 'pull_request'))
  const reviewId = idAt(comment, 'pull_request_review_id')
  const parent = reviewId === undefined ? carrier : toNode('review', { id: reviewId, parent: carrier })
  return mapComment(hook, { objectType: 'review_comment', carrier, parent, metadata: placeOf(comment) })
}

function mapComment(hook: Hook, { objectType, carrier, parent, counter, metadata }: CommentParts): Mapped {
  const comment = objectAt(hook.body, 'comment')
  const verb = verbOf(hook)
  const id = idAt(comment, 'id')
  const identity = id === undefined || counter === undefined ? id : `${counter}/${id}`
  const url = webUrlAt(comment, 'html_url')
  return {
    objectType,
    verb,
    subjectId: id,
    identity,
    occurrence:
      verb === 'created' || verb === 'deleted' ? 'once' : [instantAt(comment, 'updated_at'), editedText(comment)],
    occurredAt: commentTime(comment, verb),
    target: toNode(objectType, {
      id: identity,
      url,
      nativeType: hook.name,
      metadata: { ...known({ author: authorOf(comment) }), ...metadata },
      parent: parent ?? carrier,
    }),
    conversation: conversationOf(hook, carrier, { text: textAt(comment, 'body'), url }),
    written: comment,
  }
}

function commentTime(comment: Payload | undefined, verb: string): string | undefined {
  if (verb === 'deleted') return undefined
  return instantAt(comment, verb === 'created' ? 'created_at' : 'updated_at')
}

/** Position of a comment in the code. */
function placeOf(comment: Payload | undefined): Record<string, unknown> {
  return known({ path: textAt(comment, 'path'), line: idAt(comment, 'line') })
}
