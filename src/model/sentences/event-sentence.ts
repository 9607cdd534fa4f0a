import { actionOfKind } from '../events/action.js'
import {
  actorName,
  type ChainNode,
  isPerson,
  nodeId,
  nodeName,
  objectName,
  plainWords,
  shownSteps,
  targetChain,
  textOf,
} from './event-names.js'
import { isBadOutcome, outcomeOf, outcomeWords } from './event-outcome.js'
import { changeOf, hasNewCommits, isActorConcerned, namedIn } from './event-particulars.js'
import { KIND_SENTENCES } from './kind-sentences.js'
import { commonTemplates, plainTemplates } from './plain-sentences.js'
import type { Templates } from './sentence-families.js'

/**
 * A piece of a sentence; pieces are joined by blanks. Text is as sent: it may be long and contain control characters.
 */
export type SentencePart =
  | { kind: 'actor' | 'words' | 'name'; text: string }
  /** The target, outermost first. */
  | { kind: 'place'; steps: readonly string[] }
  /** The outcome and distinguishing details, shown apart: `failed`. Always last. */
  | { kind: 'outcome'; text: string; isBad: boolean }

/** `{name}` in a template. */
const NAME = /(\{[a-z_]+\})/
/** Verbs that request another run, so the previous outcome does not belong to them. */
const WITHOUT_OUTCOME = ['rerequested', 'requested_action']
/** Limit in characters. Longer names are left out of parentheses. */
const LONGEST_DETAIL = 80

/**
 * An event as a sentence: who did what to whom, where, and how it ended. Unknown parts are omitted or worded generally,
 * never guessed. The kinds are in `KIND_SENTENCES`.
 *
 * @param event an event as `GET /api/events` returns it; missing or malformed members are skipped
 * @returns at least one part
 */
export function sentenceOf(event: unknown): SentencePart[] {
  const erasedBy = textOf(event, 'erased', 'by')
  if (erasedBy !== '') return erasedParts(event, erasedBy)
  const chain = targetChain(event)
  const outcome = outcomeOf(event)
  const { templates, hasOutcome } = templatesOf(event, outcome, isNamed(chain.at(-1)))
  const namesOf = (actor: string) => (name: string) => {
    if (name === 'actor') return actor
    if (name === 'self') return isActorConcerned(event, chain) ? actor : ''
    return name === 'object' ? objectName(chain) : namedIn(event, chain, outcome, name)
  }
  const actor = actorName(event)
  const parts = firstFilled(templates, chain, namesOf(actor)) ??
    firstFilled(templates, chain, namesOf(actor || 'Someone')) ??
    firstFilled(plainTemplates(event), chain, namesOf(actor)) ?? [
      { kind: 'words', text: textOf(event, 'kind') || 'Event' },
    ]
  const verb = textOf(event, 'action', 'verb')
  const isSaid = hasOutcome || WITHOUT_OUTCOME.includes(verb) || parts.some(part => isWords(part, 'is running'))
  const shownOutcome = isSaid ? '' : outcome
  return [...parts, ...outcomeParts(event, parts, shownOutcome)]
}

/** `root erased this message`: an erased event has no other content. */
function erasedParts(event: unknown, by: string): SentencePart[] {
  const noun = plainWords(textOf(event, 'subject_type')) || 'event'
  return [
    { kind: 'actor', text: by },
    { kind: 'words', text: 'erased this' },
    { kind: 'name', text: noun },
  ]
}

/** The same as plain text: `Ada ran workflow test on tide/relay: failed`. */
export function sentenceText(event: unknown): string {
  return joinSentence(sentenceOf(event), text => text)
}

/** @param clean makes each name safe to show, before they are joined */
export function joinSentence(parts: readonly SentencePart[], clean: (text: string) => string): string {
  return parts
    .map((part, at) => {
      const text = part.kind === 'place' ? part.steps.map(clean).join(' › ') : clean(part.text)
      return `${at === 0 ? '' : part.kind === 'outcome' ? ': ' : ' '}${text}`
    })
    .join('')
}

function templatesOf(
  event: unknown,
  outcome: string,
  hasName: boolean,
): { templates: readonly string[]; hasOutcome: boolean } {
  const { object_type: type, verb } = actionOfKind(textOf(event, 'kind'))
  const sentences = own(KIND_SENTENCES, type)
  const value = textOf(event, 'action', 'metadata', 'value')
  const variants = [outcome, value, hasNewCommits(event) ? 'new_commits' : ''].filter(each => each !== '')
  for (const variant of variants) {
    const templates = sentences && own(sentences, `${verb}=${variant}`)
    if (templates !== undefined) return { templates: expand(templates, type, hasName), hasOutcome: variant === outcome }
  }
  const templates = sentences && (own(sentences, verb) ?? own(sentences, '*'))
  if (templates !== undefined) return { templates: expand(templates, type, hasName), hasOutcome: false }
  return { templates: commonTemplates(type, verb).flatMap(each => expand(each, type, hasName)), hasOutcome: false }
}

/** Expands the short forms of the table. */
function expand(templates: Templates, type: string, hasName: boolean): string[] {
  return (typeof templates === 'string' ? [templates] : templates).flatMap(template => {
    if (!/^[a-z]/.test(template)) return [template]
    const [done = '', noun] = template.split(' ~')
    const name = noun ?? plainWords(type)
    if (!hasName) {
      const a = `${/^[aeio]/i.test(name) ? 'an' : 'a'} ${name}`
      const an = a.charAt(0).toUpperCase() + a.slice(1)
      return [
        `{actor} ${done} ${a} in {within}`,
        `{actor} ${done} ${a}`,
        `${an} in {within} was ${done}`,
        `${an} was ${done}`,
      ]
    }
    const capital = name.charAt(0).toUpperCase() + name.slice(1)
    return [`{actor} ${done} ${noun === undefined ? '' : `${noun} `}{place}`, `${capital} {place} was ${done}`]
  })
}

function firstFilled(
  templates: readonly string[],
  chain: readonly ChainNode[],
  nameOf: (name: string) => string,
): SentencePart[] | undefined {
  for (const template of templates) {
    const parts = fill(template, chain, nameOf)
    if (parts !== undefined) return parts
  }
  return undefined
}

/** @returns undefined if the event lacks a name that the template needs */
function fill(
  template: string,
  chain: readonly ChainNode[],
  nameOf: (name: string) => string,
): SentencePart[] | undefined {
  const pieces = template.split(NAME).filter(piece => piece.trim() !== '')
  const names = new Map(pieces.filter(piece => NAME.test(piece)).map(piece => [piece, nameOf(piece.slice(1, -1))]))
  const at = pieces.findIndex(piece => piece === '{place}' || piece === '{within}')
  const place = at === -1 ? [] : placeOf(pieces[at] === '{within}' ? chain.slice(0, -1) : chain, names, pieces[at - 1])
  if (at !== -1 && place.length === 0) return undefined
  if ([...names].some(([piece, name]) => name === '' && piece !== pieces[at])) return undefined
  return pieces.map((piece, index) => {
    if (index === at) return { kind: 'place', steps: place }
    const name = names.get(piece)
    if (name === undefined) return { kind: 'words', text: piece.trim() }
    if (piece === '{ran}') return { kind: 'words', text: name }
    // A person without a name already reads `user 17`.
    if (name.startsWith('user ') && / user$/i.test(` ${pieces[index - 1]?.trimEnd()}`))
      return { kind: 'name', text: name.slice('user '.length) }
    return { kind: piece === '{actor}' || piece === '{self}' ? 'actor' : 'name', text: name }
  })
}

function isWords(part: SentencePart, text: string): boolean {
  return part.kind === 'words' && part.text === text
}

/** Whether the node has a name other than its type. */
function isNamed(node: ChainNode | undefined): boolean {
  return node !== undefined && (node.display === '' ? node.key !== '' : node.display !== node.type)
}

/** The chain's steps without what the sentence names elsewhere. */
function placeOf(chain: readonly ChainNode[], names: ReadonlyMap<string, string>, before = ''): string[] {
  const said = [...names].filter(([piece]) => piece !== '{actor}').map(([, name]) => name)
  const rest = chain.filter(node => {
    if (!isNamed(node)) return false
    if (isPerson(node)) return !names.has('{within}') && !names.has('{concerned}') && !names.has('{self}')
    return !(node.display !== '' && said.includes(node.display)) && !(node.type === 'badge' && names.has('{badge}'))
  })
  const steps = shownSteps(rest).map(node => {
    const isNamed = node.display === '' && before.trimEnd().toLowerCase().endsWith(plainWords(node.type))
    return isNamed ? nodeId(node) : nodeName(node)
  })
  return steps.filter((step, at) => step !== steps[at - 1])
}

/** The end of the sentence: the outcome, and what distinguishes the thing from others of its kind. */
function outcomeParts(event: unknown, parts: readonly SentencePart[], outcome: string): SentencePart[] {
  const sentence = joinSentence(parts, text => text).toLowerCase()
  const severity = textOf(event, 'action', 'metadata', 'severity')
  const details = [
    outcomeWords(outcome),
    namedIn(event, [], outcome, 'package'),
    severity === '' ? '' : `${plainWords(severity)} severity`,
    changeOf(event, sentence),
  ].filter(each => each !== '' && each.length <= LONGEST_DETAIL && !sentence.includes(each.toLowerCase()))
  return details.length === 0 ? [] : [{ kind: 'outcome', text: details.join(', '), isBad: isBadOutcome(outcome) }]
}

/** Own members only: senders choose the names, which may be `constructor`. */
function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
