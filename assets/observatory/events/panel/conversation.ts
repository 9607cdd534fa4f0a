import type { StoredEvent, TargetNode } from '#model/events/event'
import { isEverywhere } from '#model/sentences/event-names'
import { chainOf, crumbsOf } from '../event-words.js'

export interface Conversation {
  /** Key of a node in the chain of each of its events. */
  key: string
  /** `eng › deploys` */
  words: string
  /** Names below that key without their own key: topics that may be renamed. */
  within: readonly Pick<TargetNode, 'type' | 'display'>[]
}

/** Types of parts of a conversation, which are no conversations themselves. */
const PARTS = 'message submessage post comment review review_comment review_thread like reaction'.split(' ')

/** The conversation of an event, as far as its chain shows it. */
export function conversationOf(event: Pick<StoredEvent, 'conversation' | 'target'>): Conversation | undefined {
  const chain = chainOf(event)
  const isPart = ({ type = '' }: TargetNode) => PARTS.includes(type)
  const named = chain.findLastIndex(node => node.key !== undefined && node.key === event.conversation.key)
  // The innermost node that is more than a part; from there outwards, the first one with a key.
  const whole = chain.findLastIndex(node => !isPart(node))
  const inner = Math.max(named, whole)
  const at = chain.findLastIndex(({ key }, index) => index <= inner && key !== undefined && key !== '')
  const node = chain[at]
  // The events of a whole installation have nothing in common.
  if (!node?.key || isEverywhere(node)) return undefined
  const within = chain.slice(at + 1, inner + 1).map(({ type, display }) => ({ type, display }) as TargetNode)
  const crumbs = crumbsOf({ target: chain[inner] as TargetNode })
  return { key: node.key, within, words: crumbs.map(({ text }) => text).join(' › ') }
}

/** Whether another event under the same key belongs to the conversation. */
export function isOf({ key, within }: Conversation, event: Pick<StoredEvent, 'target'>): boolean {
  const chain = chainOf(event)
  const at = chain.findLastIndex(node => node.key === key)
  return at !== -1 && within.every((named, step) => isSame(named, chain[at + 1 + step]))
}

function isSame(named: Pick<TargetNode, 'type' | 'display'>, node: TargetNode | undefined): boolean {
  return node !== undefined && node.type === named.type && node.display === named.display
}
