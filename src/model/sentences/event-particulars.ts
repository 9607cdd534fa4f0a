/** Details of an action, from the event's metadata or, for older events, from the platform's payload. */
import {
  actorName,
  type ChainNode,
  isEverywhere,
  isPerson,
  memberOf,
  nameOf,
  nameOfType,
  personName,
  plainWords,
  textOf,
} from './event-names.js'

/** Places where an event may contain a name, in order of preference. */
const PLACES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  assignee: [
    ...[
      ['action', 'metadata', 'assignee'],
      ['action', 'metadata', 'assigned_group'],
      ['payload', 'assignee'],
    ],
  ],
  label: [
    ['action', 'metadata', 'label'],
    ['payload', 'label'],
  ],
  milestone: [
    ['action', 'metadata', 'milestone'],
    ['payload', 'milestone'],
  ],
  reviewer: [
    ...[
      ['action', 'metadata', 'reviewer'],
      ['action', 'metadata', 'requested_reviewer'],
    ],
    ...[
      ['action', 'metadata', 'requested_team'],
      ['payload', 'requested_reviewer'],
      ['payload', 'requested_team'],
    ],
  ],
  concerned: [
    ...[
      ['action', 'metadata', 'concerned'],
      ['payload', 'member'],
      ['payload', 'membership', 'user'],
    ],
    ...[['payload', 'invitation', 'login']],
  ],
  team: [
    ['action', 'metadata', 'team'],
    ['payload', 'team'],
  ],
  notice: [['target', 'metadata', 'action_code']],
  to: [['action', 'metadata', 'moved_to']],
  from: [
    ['action', 'metadata', 'moved_from'],
    ['action', 'metadata', 'old_path'],
    ['action', 'metadata', 'old_name'],
  ],
}

/** Fields that hold a thing's name. */
const NAMES = ['name', 'full_name', 'path', 'path_with_namespace', 'login', 'username', 'title', 'topic']
const MOST_FIELDS = 3
/** Limit in characters. Longer values are not shown in parentheses. */
const LONGEST_VALUE = 40

/** Finds a name in the event. @param name as templates write it. @returns empty if there is none */
export function namedIn(event: unknown, chain: readonly ChainNode[], outcome: string, name: string): string {
  if (name === 'ran') return ranWords(outcome)
  if (name === 'fields') return fieldWords(event)
  if (name === 'settings') {
    const fields = fieldWords(event)
    return fields === '' ? '' : `${changedFields(event).length > 1 ? 'settings' : 'setting'} ${fields}`
  }
  const places = Object.hasOwn(PLACES, name) ? (PLACES[name] ?? []) : [['action', 'metadata', name]]
  for (const place of places) {
    const found = nameOf(memberOf(event, ...place)) || movedName(memberOf(event, ...place))
    if (found === '') continue
    if (name === 'role' || name === 'notice') return plainWords(found.replaceAll('.', ' '))
    return name === 'ref' ? found.replace(/^refs\/(?:heads|tags)\//, '') : found
  }
  if (name === 'from')
    return NAMES.map(field => textOf(event, 'action', 'metadata', 'changes', field, 'from')).find(Boolean) ?? ''
  if (name === 'commit') return chain.at(-2)?.type === 'commit' ? (chain.at(-2)?.display ?? '') : ''
  if (name === 'direct') return othersIn(event, chain)
  if (name === 'about') return chain.slice(0, -1).findLast(isSubject)?.display ?? ''
  if (name === 'account') return chain.slice(-2, -1).filter(isPerson).map(personName).join()
  if (name === 'reviewable') return reviewableName(chain)
  if (name === 'badge' || name === 'environment' || name === 'design') {
    return nameOfType(chain, name) || (name === 'environment' ? nameOfType(chain, 'deployment') : '')
  }
  if (name !== 'concerned') return ''
  const person = chain.findLast(isPerson)
  if (person) return personName(person)
  // For a dismissed review: its author.
  return textOf(event, 'action', 'object_type') === 'review'
    ? nameOf(memberOf(event, 'target', 'metadata', 'author'))
    : ''
}

/** Whether actor and affected person are the same: a person who leaves was not removed by anyone else. */
export function isActorConcerned(event: unknown, chain: readonly ChainNode[]): boolean {
  const actor = actorName(event)
  const actorId = textOf(event, 'actor', 'id')
  const concernedId =
    textOf(event, 'action', 'metadata', 'concerned', 'id') || chain.findLast(isPerson)?.key.split(/[:/]/).at(-1)
  if (actorId !== '' && concernedId) return actorId === concernedId
  return actor !== '' && actor === namedIn(event, chain, '', 'concerned')
}

/**
 * `main → trunk`, or `now trunk`, if exactly one thing changed and it is short.
 *
 * @param sentence the sentence in lower case; a change that it already contains is not repeated
 */
export function changeOf(event: unknown, sentence: string): string {
  const changes = memberOf(event, 'action', 'metadata', 'changes')
  if (typeof changes !== 'object' || changes === null || Object.keys(changes).length !== 1) return ''
  const [[field = '', change] = []] = Object.entries(changes) as [string, unknown][]
  const [from, to] = [nameOf(memberOf(change, 'from')), nameOf(memberOf(change, 'to'))]
  const has = (text: string) => sentence.includes(text.toLowerCase())
  const isSaid = from === '' ? has(to) : has(`${from} to `) || has(`${from} was renamed to `)
  if (to === '' || isSaid || field.endsWith('_id') || [from, to].some(each => each.length > LONGEST_VALUE)) return ''
  if (from !== '') return `${from} → ${to}`
  const isNew = memberOf(change, 'from') === undefined && textOf(event, 'action', 'verb') === 'updated'
  return isNew ? `now ${/^[a-z_]+$/.test(to) ? plainWords(to) : to}` : ''
}

/** Whether commits were pushed to the target, as GitHub and its kin, or GitLab, report. */
export function hasNewCommits(event: unknown): boolean {
  const metadata = memberOf(event, 'action', 'metadata')
  return textOf(metadata, 'native_action').startsWith('synchronize') || textOf(metadata, 'old_revision') !== ''
}

/** The other people in the conversation; in a forum, a channel is one of them. */
function othersIn(event: unknown, chain: readonly ChainNode[]): string {
  const isPrivate = textOf(event, 'target', 'parent', 'metadata', 'private') === 'true'
  const type = isPrivate ? textOf(event, 'target', 'parent', 'type') : 'direct_conversation'
  const all = chain.findLast(node => node.type === type)?.display ?? ''
  const own = [actorName(event), textOf(event, 'actor', 'metadata', 'username')]
  const others = all.split(', ').filter(name => !own.includes(name))
  return nameOf(others) || all
}

function isSubject(node: ChainNode): boolean {
  return node.display !== '' && !isEverywhere(node) && !isPerson(node)
}

/** `title and description` */
function fieldWords(event: unknown): string {
  const fields = changedFields(event)
  const shown = fields.length > MOST_FIELDS ? [...fields.slice(0, MOST_FIELDS - 1), 'more'] : fields
  return [shown.slice(0, -1).join(', '), ...shown.slice(-1)].filter(each => each !== '').join(' and ')
}

function changedFields(event: unknown): string[] {
  const changes = memberOf(event, 'action', 'metadata', 'changes') ?? memberOf(event, 'action', 'metadata', 'changed')
  if (typeof changes !== 'object' || changes === null) return []
  return (Array.isArray(changes) ? (changes as unknown[]).map(each => textOf(each)) : Object.keys(changes))
    .map(plainWords)
    .filter(each => each !== '' && each.length <= LONGEST_VALUE)
}

/** The outcome of a run that the actor started. A waiting or skipped run did not run. */
function ranWords(outcome: string): string {
  if (outcome === 'running') return 'is running'
  const waits = ['queued', 'waiting', 'blocked', 'preparing', 'scheduled', 'manual', 'skipped', 'action_required']
  return waits.includes(outcome) ? 'requested' : 'ran'
}

/** The previous place of a message: `eng › deploys`. */
function movedName(value: unknown): string {
  return [textOf(value, 'stream'), textOf(value, 'topic')].filter(each => each !== '').join(' › ')
}

/** `ReviewableFlaggedPost`, `flagged post` → `a flagged post` */
function reviewableName(chain: readonly ChainNode[]): string {
  const name = chain.at(-1)?.display ?? ''
  const words = /^Reviewable[A-Z]\w{0,60}$/.test(name)
    ? name.slice('Reviewable'.length).replaceAll(/(?=[A-Z])/g, ' ')
    : name
  if (words === '') return ''
  const plain = words.trim().toLowerCase()
  return `${/^[aeio]/.test(plain) ? 'an' : 'a'} ${plain}`
}
