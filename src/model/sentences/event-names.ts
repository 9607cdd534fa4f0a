/**
 * The names in an event: actor, affected person, object, place and outcome. Pages and commands share this. Events are
 * free-form and also come from unknown senders, so each name is text or empty, and nothing here throws.
 */

/** A step of a target chain, as far as it is valid. */
export interface ChainNode {
  type: string
  key: string
  display: string
}

/** Deeper chains are not followed. */
const DEEPEST = 64
/** Types of whole installations, which contain everything of a source. */
const EVERYWHERE = ['realm', 'site', 'instance', 'owner']
/** Types of parts of a conversation, and of commits. A sentence names their parent instead. */
const ASIDE = [
  'commit',
  'message',
  'post',
  'comment',
  'review',
  'review_comment',
  'review_thread',
  'like',
  'reaction',
  'deployment_status',
  'page',
]
/** Nodes that are a person or bot with an account. */
const PEOPLE = ['member', 'user', 'group_member', 'realm_user', 'realm_bot', 'user_promoted']

/** Follows a path of members. @returns undefined if one is missing */
export function memberOf(value: unknown, ...path: readonly string[]): unknown {
  let found = value
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = (found as Record<string, unknown>)[name]
  }
  return found
}

/** A string, number or boolean as text, else empty. */
export function textOf(value: unknown, ...path: readonly string[]): string {
  const found = memberOf(value, ...path)
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean' ? String(found) : ''
}

/** `pull_request` → `pull request` */
export function plainWords(name: string): string {
  return name.replaceAll(/[_-]+/g, ' ').trim()
}

/** How many names of a list are shown. */
const MOST_NAMES = 3

/** The name of a thing or person: a text, or an object that contains a name. For a list, the first few. */
export function nameOf(value: unknown): string {
  if (Array.isArray(value)) {
    const names = value.map(each => (Array.isArray(each) ? '' : nameOf(each))).filter(name => name !== '')
    const shown =
      names.length > MOST_NAMES ? [...names.slice(0, MOST_NAMES - 1), `${names.length - MOST_NAMES + 1} more`] : names
    return [shown.slice(0, -1).join(', '), ...shown.slice(-1)].filter(name => name !== '').join(' and ')
  }
  if (typeof value !== 'object' || value === null) return textOf(value)
  const known = ['display', 'name', 'login', 'username', 'title', 'full_name', 'slug']
  for (const member of known) {
    const name = textOf(value, member)
    if (name !== '') return name
  }
  const id = textOf(value, 'id')
  return id === '' ? '' : `user ${id}`
}

/** The actor's name, else `user 17`. Empty if the event does not name an actor. */
export function actorName(event: unknown): string {
  const display = textOf(event, 'actor', 'display')
  const id = textOf(event, 'actor', 'id')
  return display || (id === '' ? '' : `user ${id}`)
}

/** The target and what contains it, outermost first. Empty nodes are left out. */
export function targetChain(event: unknown): ChainNode[] {
  const chain: ChainNode[] = []
  let node = memberOf(event, 'target')
  for (let depth = 0; depth < DEEPEST && typeof node === 'object' && node !== null; depth++) {
    const [type, key, display] = [textOf(node, 'type'), textOf(node, 'key'), textOf(node, 'display')]
    if (type !== '' || key !== '' || display !== '') chain.unshift({ type, key, display })
    node = memberOf(node, 'parent')
  }
  return chain
}

/** The label of a node: its display, or `message 8796`. */
export function nodeName(node: ChainNode): string {
  return node.display || [plainWords(node.type), nodeId(node)].filter(Boolean).join(' ')
}

/** `8796` of `message:8796` */
export function nodeId({ type, key }: ChainNode): string {
  return type !== '' && key.startsWith(`${type}:`) ? key.slice(type.length + 1) : key
}

/** The steps of a chain that a sentence shows; the obvious ones are omitted, but never all. */
export function shownSteps<T extends { type?: string; display?: string }>(chain: readonly T[]): T[] {
  const outside = (node: T) => !isEverywhere(node)
  const named = chain.filter(node => node.display && outside(node) && !ASIDE.includes(node.type ?? ''))
  if (named.length > 0) return named
  const first = chain.find(outside)
  return first ? [first] : chain.slice(-1)
}

/** Whether it is a whole installation, which contains everything of a source. */
export function isEverywhere({ type = '' }: { type?: string }): boolean {
  return EVERYWHERE.includes(type)
}

export function isPerson({ type }: ChainNode): boolean {
  return PEOPLE.includes(type)
}

/** The person named by a chain node: for `group_member:47/1815` it is `user 1815`. */
export function personName(node: ChainNode): string {
  return node.display || `user ${nodeId(node).split('/').at(-1)}`
}

/** The target's own name. Empty if it has none, or if the name does not identify it for a reader. */
export function objectName(chain: readonly ChainNode[]): string {
  return chain.at(-1)?.display ?? ''
}

/** The nearest node of a type, by its name, else by its id. */
export function nameOfType(chain: readonly ChainNode[], type: string): string {
  const node = chain.findLast(each => each.type === type)
  return node ? node.display || nodeId(node) : ''
}
