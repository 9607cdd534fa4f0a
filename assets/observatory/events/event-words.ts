import type { LedgerEvent, TargetNode } from '../../shared/wire.js'
import { KIND_VERBS, OUTCOME_VERBS } from './kind-verbs.js'

/** Deeper chains are not followed: they come from strangers. */
const DEEPEST = 64

/** What was done, between who and what: `wrote in`, `merged`; of a kind that is not known `<verb> <object type>`. */
export function verbOf(event: Pick<LedgerEvent, 'kind' | 'action'>): string {
  const { object_type: objectType, verb, metadata } = event.action
  const outcome = own(OUTCOME_VERBS, event.kind)
  const said = outcome && own(outcome.verbs, String(metadata?.[outcome.member]))
  if (said !== undefined) return said
  const [kindObject = '', kindVerb = ''] = event.kind.split('.')
  return own(own(KIND_VERBS, kindObject) ?? {}, kindVerb) ?? `${plain(verb)} ${plain(objectType)}`.trim()
}

/** The event's target and what it belongs to, outermost first, each as it was sent. */
export function chainOf({ target }: Pick<LedgerEvent, 'target'>): TargetNode[] {
  const chain: TargetNode[] = []
  for (let node: TargetNode | undefined = target; node && chain.length < DEEPEST; node = node.parent)
    chain.unshift(node)
  return chain
}

/** One step of a chain in a sentence. */
export interface Crumb {
  text: string
  node: TargetNode
}

/** Whole installations: everything of a source is in them. */
const EVERYWHERE = ['realm', 'site', 'instance', 'owner']
/** They say how or by which commit; what they are about stands around them. */
const ASIDE = ['commit', 'message', 'post', 'comment', 'review', 'review_comment', 'review_thread', 'like', 'reaction']

/**
 * The chain as breadcrumbs, for a sentence: without what goes without saying. The whole chain is in the panel.
 *
 * @returns outermost first; empty for an event without a target
 */
export function crumbsOf(event: Pick<LedgerEvent, 'target'>): Crumb[] {
  const chain = chainOf(event).filter(({ type, key, display }) => type || key || display)
  const named = chain.filter(({ type = '', display }) => display && !EVERYWHERE.includes(type) && !ASIDE.includes(type))
  const shown = named.length > 0 ? named : chain.filter(({ type = '' }) => !EVERYWHERE.includes(type)).slice(0, 1)
  const crumbs = shown.length > 0 ? shown : chain.slice(-1)
  return crumbs.map(node => ({ node, text: labelOf(node) }))
}

/** What a node is called: its display, or `message 8796`. */
export function labelOf({ type, key, display }: TargetNode): string {
  if (display) return display
  const id = type && key?.startsWith(`${type}:`) ? key.slice(type.length + 1) : key
  return [type && plain(type), id].filter(Boolean).join(' ')
}

/** Who did it, as far as the source said. Never empty. */
export function actorName({ actor }: Pick<LedgerEvent, 'actor'>): string {
  return actor.display || (actor.id ? `user ${actor.id}` : 'Someone')
}

/** A program: its role stands in a box. */
export function isProgram(event: Pick<LedgerEvent, 'actor_role'>): boolean {
  return event.actor_role === 'bot'
}

/** The role where it says something; nearly everybody is a member. */
export function roleOf({ actor_role: role }: Pick<LedgerEvent, 'actor_role'>): string {
  return role === 'member' ? '' : plain(role)
}

/** What was said: the words of the message, the messages of the commits, how a run went. Empty: only the act. */
export function wordsSaid(event: Pick<LedgerEvent, 'conversation' | 'action' | 'target'>): string {
  const text = event.conversation.text ?? ''
  const { conclusion } = event.action.metadata ?? {}
  const outcome = typeof conclusion === 'string' && conclusion ? plain(conclusion) : ''
  if (outcome) return text ? `${outcome}: ${text}` : outcome
  return text || (event.target.type === 'reaction' ? (event.target.display ?? '') : '')
}

/** `pull_request` → `pull request` */
function plain(word: string): string {
  return word.replaceAll('_', ' ')
}

/** What strangers send may be called `constructor`. */
function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
