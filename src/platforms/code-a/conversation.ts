import { type Conversation, type TargetNode, targetChain } from '../../model/events/event.js'
import { conversationIn } from '../repository-conversation.js'
import type { Hook } from './hook.js'

/** The conversation of an event, and its text. Its link is the nearest known one. */
export function conversationOf(
  { repositoryName }: Hook,
  carrier: TargetNode | undefined,
  said: { text?: string | undefined; url?: string | undefined; title?: string | undefined },
): Conversation {
  return conversationIn(repositoryName, carrier, { ...said, url: said.url ?? nearestUrl(carrier) })
}

function nearestUrl(node: TargetNode | undefined): string | undefined {
  for (const { url } of targetChain(node)) if (url !== undefined) return url
  return undefined
}
