import type { LedgerEvent, TargetNode } from '../../shared/wire.js'
import { chainOf, crumbsOf } from './event-words.js'

/** What an event is a part of. */
export interface Conversation {
  /** Key of a node in the chain of every event of it. */
  key: string
  /** `eng › deploys` */
  words: string
  /** Names below the key that have none of their own: topics that may be renamed. */
  within: readonly Pick<TargetNode, 'type' | 'display'>[]
}

/** They are said or done in a conversation, and are none. */
const PARTS = [
  'message',
  'submessage',
  'post',
  'comment',
  'review',
  'review_comment',
  'review_thread',
  'like',
  'reaction',
]
/** Whole installations: what happens there has nothing in common. */
const EVERYWHERE = ['realm', 'site', 'instance', 'owner']

/** The conversation that an event belongs to, as far as its chain says. */
export function conversationOf(event: Pick<LedgerEvent, 'conversation' | 'target'>): Conversation | undefined {
  const chain = chainOf(event)
  const isPart = ({ type = '' }: TargetNode) => PARTS.includes(type)
  const named = chain.findLastIndex(node => node.key !== undefined && node.key === event.conversation.key)
  // Its innermost node that is more than a part of it, and on the way out the first one with a key.
  const inner = Math.max(
    named,
    chain.findLastIndex(node => !isPart(node)),
  )
  const at = chain.findLastIndex(({ key }, index) => index <= inner && key !== undefined && key !== '')
  const node = chain[at]
  if (!node?.key || EVERYWHERE.includes(node.type ?? '')) return undefined
  const within = chain.slice(at + 1, inner + 1).map(({ type, display }) => ({ type, display }) as TargetNode)
  return {
    key: node.key,
    within,
    words: crumbsOf({ target: chain[inner] as TargetNode })
      .map(crumb => crumb.text)
      .join(' › '),
  }
}

/** Whether another event under the same key is of the same conversation. */
export function isOf({ key, within }: Conversation, event: Pick<LedgerEvent, 'target'>): boolean {
  const chain = chainOf(event)
  const at = chain.findLastIndex(node => node.key === key)
  return at !== -1 && within.every((named, step) => isSame(named, chain[at + 1 + step]))
}

function isSame(named: Pick<TargetNode, 'type' | 'display'>, node: TargetNode | undefined): boolean {
  return node !== undefined && node.type === named.type && node.display === named.display
}
