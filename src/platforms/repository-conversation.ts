import type { Conversation, TargetNode } from '../model/events/event.js'
import { known } from './payload.js'

/**
 * The conversation of an event on a code host, and its text.
 *
 * @param repositoryName path of the repository, or of the group if there is none
 * @param carrier the issue, pull request, discussion, branch …: events with one carrier share one conversation
 * @param said the text, with its own address and title if it has them, such as a comment
 */
export function conversationIn(
  repositoryName: string | undefined,
  carrier: TargetNode | undefined,
  said: { text?: string | undefined; url?: string | undefined; title?: string | undefined },
): Conversation {
  return known({
    key: carrier?.key,
    title: titleOf(repositoryName, said.title ?? carrier?.display),
    text: said.text,
    url: said.url ?? carrier?.url,
  })
}

/** `owner/name#12 Title`, `owner/name!12 Title`, `owner/name main`, `owner/name`. */
function titleOf(repositoryName: string | undefined, title: string | undefined): string | undefined {
  if (repositoryName === undefined || title === undefined || title === repositoryName) return title ?? repositoryName
  return /^[#!]\d/u.test(title) ? `${repositoryName}${title}` : `${repositoryName} ${title}`
}
