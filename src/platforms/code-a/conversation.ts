import type { Conversation, TargetNode } from '../../model/event.js'
import { type Hook, known } from './hook.js'

/**
 * Where the words of an event belong, and the words.
 *
 * @param carrier the issue, pull request, discussion, branch …: events with one carrier share one conversation
 * @param said where the words stand by themselves, such as a comment
 */
export function conversationOf(
  hook: Hook,
  carrier: TargetNode | undefined,
  said: { text?: string | undefined; url?: string | undefined; title?: string | undefined },
): Conversation {
  return known({
    key: carrier?.key,
    title: titleOf(hook, said.title ?? carrier?.display),
    text: said.text,
    url: said.url ?? carrier?.url,
  })
}

/** `owner/name#12 Title`, `owner/name main`, `owner/name`. */
function titleOf({ repositoryName }: Hook, title: string | undefined): string | undefined {
  if (repositoryName === undefined || title === undefined || title === repositoryName) return title ?? repositoryName
  return title.startsWith('#') ? `${repositoryName}${title}` : `${repositoryName} ${title}`
}
