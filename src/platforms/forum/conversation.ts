import { type Conversation, type TargetNode, targetChain } from '../../model/event.js'
import { known, type Payload, textAt } from '../payload.js'

/**
 * Where the words of an event belong: the topic or chat channel around it, which all of its events share; else the
 * thing itself.
 */
export function conversationOf(target: TargetNode, text?: string): Conversation {
  const [carrier = target] = [...targetChain(target)].filter(({ type }) => type === 'topic' || type === 'stream')
  return known({ key: carrier.key, title: carrier.display, text, url: target.url ?? carrier.url })
}

/** The words as they were typed; as HTML where a forum sends only that. */
export function wordsOf(post: Payload | undefined): string | undefined {
  return textAt(post, 'raw') ?? textAt(post, 'cooked')
}
