import type { StoredEvent, TargetNode } from '#model/events/event'
import { actorName as nameOfActor, nodeName, plainWords, shownSteps } from '#model/sentences/event-names'

/** Maximum depth of a chain, because unknown senders can record chains. */
const DEEPEST = 64

/** The event's target and its parents, outermost first, as sent. */
export function chainOf({ target }: Pick<StoredEvent, 'target'>): TargetNode[] {
  const chain: TargetNode[] = []
  for (let node: TargetNode | undefined = target; node && chain.length < DEEPEST; node = node.parent)
    chain.unshift(node)
  return chain
}

interface Crumb {
  text: string
  node: TargetNode
}

/**
 * The chain as breadcrumbs, without the obvious steps. The panel shows the whole chain.
 *
 * @returns outermost first; empty for an event without a target
 */
export function crumbsOf(event: Pick<StoredEvent, 'target'>): Crumb[] {
  const chain = chainOf(event).filter(({ type, key, display }) => type || key || display)
  return shownSteps(chain).map(node => ({ node, text: labelOf(node) }))
}

/** The label of a node: its display, or `message 8796`. */
export function labelOf({ type = '', key = '', display = '' }: TargetNode): string {
  return nodeName({ type, key, display })
}

/** The actor's name, or `Someone` if the source sent none. */
export function actorName(event: { actor: Pick<StoredEvent['actor'], 'display' | 'id'> }): string {
  return nameOfActor(event) || 'Someone'
}

/** Whether the actor is a bot, whose role has a frame. */
export function isProgram(event: Pick<StoredEvent, 'actor_role'>): boolean {
  return event.actor_role === 'bot'
}

/** The role, if informative; most people are members. */
export function roleOf({ actor_role: role }: Pick<StoredEvent, 'actor_role'>): string {
  return role === 'member' ? '' : plainWords(role)
}

/** The text of the message, or the commit messages; if erased, the reason. Empty if there is only an action. */
export function eventText({ conversation, erased }: Pick<StoredEvent, 'conversation' | 'erased'>): string {
  return erased?.reason ?? conversation.text ?? ''
}

/**
 * The key that identifies this event in the ledger. Two events may share a dedupe key: a verified one and one posted by a
 * caller without credentials.
 */
export function eventKey({ dedupe_key, provenance }: Pick<StoredEvent, 'dedupe_key' | 'provenance'>): string {
  return provenance.key_space === undefined ? dedupe_key : `${provenance.key_space}:${dedupe_key}`
}

/** `repository tide/relay` */
export function placeWords({ type = '' }: TargetNode, text: string): string {
  return `${plainWords(type)} ${text}`.trim()
}
