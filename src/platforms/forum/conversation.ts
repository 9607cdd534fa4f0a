import { type Conversation, type TargetNode, targetChain } from '../../model/events/event.js'
import { known, type Payload, textAt } from '../payload.js'

/**
 * The conversation of an event: its topic or chat channel, shared by all events there; else the object itself.
 */
export function conversationOf(target: TargetNode, text?: string): Conversation {
  const [carrier = target] = [...targetChain(target)].filter(({ type }) => type === 'topic' || type === 'stream')
  return known({ key: carrier.key, title: carrier.display, text, url: nearestUrl(target) })
}

function nearestUrl(target: TargetNode): string | undefined {
  for (const { url } of targetChain(target)) if (url !== undefined) return url
  return undefined
}

/** The text as typed, or as HTML if a forum sends only that. */
export function wordsOf(post: Payload | undefined): string | undefined {
  return textAt(post, 'raw') ?? textAt(post, 'cooked')
}
