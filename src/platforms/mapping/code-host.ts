/** Code that both code hosts share: the parts of a push, in git's terms, and conversations in a repository. */

import type { Conversation, TargetNode } from '../../model/events/event.js'
import { nearestUrl } from './node.js'
import { known, objectsAt, type Payload, textAt } from './payload.js'

const ALL_ZEROS = /^0+$/u
const REF = /^refs\/(heads|tags)\/(.+)$/su

/** The all-zero hash means no commit: before a ref is created, or after it is deleted. */
export function isNoCommit(sha: string | undefined): boolean {
  return sha !== undefined && ALL_ZEROS.test(sha)
}

/** A full ref (`refs/heads/main`) or a bare name (`main`). */
export function readRef(ref: string | undefined): { type: 'branch' | 'tag' | 'ref'; name: string | undefined } {
  const [, folder, name = ref] = REF.exec(ref ?? '') ?? []
  return { type: folder === 'heads' ? 'branch' : folder === 'tags' ? 'tag' : 'ref', name }
}

/** Repository, ref, old and new commit identify a push. If one is missing, only the delivery identifies it. */
export function pushIdentity(repository: string | undefined, push: Payload): string | undefined {
  const parts = [repository, textAt(push, 'ref'), textAt(push, 'before'), textAt(push, 'after')]
  if (parts.includes(undefined)) return undefined
  const [id, ref, before, after] = parts
  return `${id}:${ref}:${before}..${after}`
}

/** The messages of the commits listed in a push, which may be incomplete. */
export function commitMessages(push: Payload): string | undefined {
  const messages = objectsAt(push, 'commits').flatMap(commit => textAt(commit, 'message') ?? [])
  return messages.join('\n\n') || undefined
}

/** A text, with its own address and title if it has them, such as a comment. */
export interface ConversationText {
  text?: string | undefined
  url?: string | undefined
  title?: string | undefined
}

/**
 * The conversation of an event on a code host, and its text. Its link is the nearest known address.
 *
 * @param repositoryName path of the repository, or of the group if there is none
 * @param carrier the issue, pull request, discussion, branch …: events with one carrier share one conversation
 */
export function conversationIn(
  repositoryName: string | undefined,
  carrier: TargetNode | undefined,
  content: ConversationText,
): Conversation {
  return known({
    key: carrier?.key,
    title: titleOf(repositoryName, content.title ?? carrier?.display),
    text: content.text,
    url: content.url ?? nearestUrl(carrier),
  })
}

/** `owner/name#12 Title`, `owner/name!12 Title`, `owner/name main`, `owner/name`. */
function titleOf(repositoryName: string | undefined, title: string | undefined): string | undefined {
  if (repositoryName === undefined || title === undefined || title === repositoryName) return title ?? repositoryName
  return /^[#!]\d/u.test(title) ? `${repositoryName}${title}` : `${repositoryName} ${title}`
}
