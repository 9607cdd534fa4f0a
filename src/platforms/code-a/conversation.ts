import type { Conversation, TargetNode } from '../../model/event.js'
import { conversationIn } from '../repository-conversation.js'
import type { Hook } from './hook.js'

/** Where the words of an event belong, and the words. */
export function conversationOf(
  { repositoryName }: Hook,
  carrier: TargetNode | undefined,
  said: { text?: string | undefined; url?: string | undefined; title?: string | undefined },
): Conversation {
  return conversationIn(repositoryName, carrier, said)
}
