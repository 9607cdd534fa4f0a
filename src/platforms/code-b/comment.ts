/** Comments, called notes by the platform, and reactions to them and to their parents. */
import type { TargetNode } from '../../model/events/event.js'
import { neutralType } from '../../model/subscriptions/target-place.js'
import { shortDigest, toWord } from '../mapping/identifiers.js'
import { toNode } from '../mapping/node.js'
import { idAt, isTrue, known, objectAt, type Payload, textAt, webUrlAt } from '../mapping/payload.js'
import { conversationOf, type Hook, type Mapped, verbOf } from './hook.js'
import {
  authorOf,
  carrierNode,
  commitNode,
  issueNode,
  pullRequestNode,
  snippetNode,
  workItemNode,
} from './target-nodes.js'
import { timeAt } from './time.js'

export function mapNote(hook: Hook): Mapped {
  const note = hook.attributes
  const carrier = noteableNode(hook, note)
  const target = commentNode(note, carrier)
  const verb = verbOf(hook, note ? 'created' : undefined)
  const id = idAt(note, 'id')
  return {
    objectType: isReviewComment(note, carrier) ? 'review_comment' : 'comment',
    verb,
    subjectId: id,
    identity: id,
    occurrence: verb === 'created' || verb === 'deleted' ? 'once' : editOccurrence(note),
    occurredAt: verb === 'deleted' ? undefined : timeAt(note, verb === 'created' ? 'created_at' : 'updated_at'),
    target,
    conversation: conversationOf(hook, carrier, { text: textAt(note, 'note'), url: target.url }),
  }
}

/** Times have a resolution of one second, in which a text can be edited twice. */
function editOccurrence(note: Payload | undefined): Mapped['occurrence'] {
  const text = textAt(note, 'note')
  return [timeAt(note, 'updated_at'), ...(text === undefined ? [] : [shortDigest(text)])]
}

/** A reaction of one person. Only adding one has a time. */
export function mapEmoji(hook: Hook): Mapped {
  const { attributes: reaction, body } = hook
  const note = objectAt(body, 'note')
  const carrier = noteableNode(hook, note ?? reaction)
  const verb = verbOf(hook)
  const id = idAt(reaction, 'id')
  const emoji = textAt(reaction, 'name')
  const target = toNode('reaction', {
    id,
    display: emoji,
    url: webUrlAt(reaction, 'awarded_on_url'),
    nativeType: 'emoji',
    parent: note ? commentNode(note, carrier) : carrier,
  })
  return {
    objectType: 'reaction',
    verb,
    subjectId: id,
    identity: id,
    occurrence: 'once',
    occurredAt: verb === 'added' ? timeAt(reaction, 'created_at') : undefined,
    target,
    conversation: conversationOf(hook, carrier, { url: target.url }),
    metadata: known({ emoji }),
  }
}

function commentNode(note: Payload | undefined, carrier: TargetNode | undefined): TargetNode {
  const position = objectAt(note, 'position') ?? objectAt(note, 'st_diff')
  return toNode(isReviewComment(note, carrier) ? 'review_comment' : 'comment', {
    id: idAt(note, 'id'),
    url: webUrlAt(note, 'url'),
    nativeType: 'note',
    metadata: known({
      author: authorOf(note),
      path: textAt(position, 'new_path') ?? textAt(position, 'old_path'),
      line: idAt(position, 'new_line') ?? idAt(position, 'old_line'),
      confidential: isTrue(note, 'internal') || undefined,
    }),
    parent: carrier,
  })
}

/** A comment on a line of a merge request. On a commit, all comments are ordinary ones. */
function isReviewComment(note: Payload | undefined, carrier: TargetNode | undefined): boolean {
  if (carrier?.type !== 'pull_request') return false
  const onLine = textAt(note, 'line_code') ?? objectAt(note, 'position') ?? objectAt(note, 'st_diff')
  return onLine !== undefined || textAt(note, 'type')?.endsWith('DiffNote') === true
}

type NodeMaker = (hook: Hook, object: Payload, pageUrl: string | undefined) => TargetNode | undefined

/** The members with the parent of a comment or reaction. */
const NOTEABLES: Readonly<Record<string, NodeMaker>> = {
  merge_request: (hook, object, fallbackUrl) => pullRequestNode(hook, object, { fallbackUrl }),
  issue: issueNode,
  work_item: workItemNode,
  snippet: snippetNode,
  project_snippet: snippetNode,
  personal_snippet: snippetNode,
  commit: (hook, object) => commitNode(hook, textAt(object, 'id'), webUrlAt(object, 'url')),
}

/** @param said the comment, or a reaction to the parent itself; contains the parent's type and id */
function noteableNode(hook: Hook, said: Payload | undefined): TargetNode | undefined {
  const pageUrl = (webUrlAt(said, 'url') ?? webUrlAt(said, 'awarded_on_url'))?.replace(/#.*/su, '')
  for (const [member, make] of Object.entries(NOTEABLES)) {
    const object = objectAt(hook.body, member)
    if (object) return make(hook, object, pageUrl)
  }
  const sha = textAt(said, 'commit_id')
  if (sha !== undefined) return commitNode(hook, sha, pageUrl)
  const nativeType = textAt(said, 'noteable_type') ?? textAt(said, 'awardable_type')
  const parent = carrierNode(hook)
  if (nativeType === undefined) return parent
  const id = idAt(said, 'noteable_id') ?? idAt(said, 'awardable_id')
  return toNode(noteableType(nativeType), { id, url: pageUrl, nativeType, parent })
}

const LONGEST_TYPE = 100

/** `MergeRequest` → `pull_request`, `DesignManagement::Design` → `design`. */
function noteableType(nativeType: string): string {
  if (nativeType === 'Note') return 'comment'
  if (nativeType === 'WikiPage::Meta') return 'wiki_page'
  const name = nativeType.slice(nativeType.lastIndexOf(':') + 1).slice(0, LONGEST_TYPE)
  return neutralType(toWord(name.replace(/(?<=[a-z])(?=[A-Z])/gu, '_')) ?? 'thing')
}
