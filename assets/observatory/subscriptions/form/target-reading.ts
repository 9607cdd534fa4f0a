import { isPlatformSource, type PlatformSource } from '#model/platforms/platform-source'
import { decodeName, placeOfText, REPOSITORY, TARGET_CHARACTERS } from '#model/subscriptions/target-grammar'
import { encodeName, type Place } from '#model/subscriptions/target-place'
import { targetOfLink } from './target-link.js'

/**
 * Parses a subscription's target during typing: its parts, or what is wrong with it and a correct text. The server
 * parses it again on saving, by the same grammar.
 *
 * Source: docs/reference/subscription.md, "How a scope is written".
 */

interface TargetPiece {
  /** `stream`, `pull request` */
  keyword: string
  name: string
}

export type TargetReading =
  /** Empty: the whole source. */
  | { kind: 'whole' }
  | { kind: 'understood'; pieces: readonly TargetPiece[]; words: string }
  /** `fix`: a valid text that was probably meant. */
  | TargetProblem

interface TargetProblem {
  kind: 'problem'
  words: string
  fix?: string
}

/** @param known other targets of the source, to complete missing parts */
export function readTarget(source: string, text: string, known: readonly string[] = []): TargetReading {
  if (text === '') return { kind: 'whole' }
  if (text.length > TARGET_CHARACTERS) return problem(`A target has at most ${TARGET_CHARACTERS} characters.`)
  if (!isPlatformSource(source))
    return { kind: 'understood', pieces: [], words: 'Everything that happens to the node with this key, or within it.' }
  const place = placeOfText(source, text)
  if (place) return understood(place, text)
  const isValid = (other: string) => other !== text && placeOfText(source, other) !== undefined
  const trimmed = text.trim()
  if (trimmed === '') return problem('Only blanks. Leave it empty to watch everything.')
  const linked = targetOfLink(source, trimmed)
  if (linked !== undefined && isValid(linked)) return problem('That is a link; its target is', linked)
  if (isValid(trimmed)) return problem('There are blanks around it:', trimmed)
  const escaped = withEscapedPercent(text)
  if (isValid(escaped)) return problem('Write a % inside a name as %25:', escaped)
  const found = PROBLEMS[source](text, known)
  // With several errors, fixing only the first would not give a valid text.
  return found.fix === undefined || isValid(found.fix) ? found : problem(found.words.replace(/:$/, '.'))
}

function understood(place: Place, text: string): TargetReading {
  switch (place.type) {
    case 'stream':
      return reading('One stream, every topic in it.', ['stream', place.name])
    case 'stream_topic':
      return reading('One topic in one stream.', ['stream', place.stream], ['topic', place.name])
    case 'topic_id':
      return reading('One topic, every reply in it.', ['topic', place.id])
    case 'category_id':
      return reading('One category, every topic in it.', ['category', place.id])
    case 'category_slug':
      return reading('One category, every topic in it.', ['category', place.slug])
    case 'repository': {
      const noun = nounOf(text)
      return reading(`One ${noun}, everything in it.`, [noun, place.path])
    }
    case 'issue':
    case 'pull_request': {
      const noun = nounOf(text)
      const numbered = wordsOf(REPOSITORY.exec(text)?.[3] ?? place.type)
      return reading(`One ${numbered} in one ${noun}.`, [noun, place.path], [numbered, place.number])
    }
  }
}

function reading(words: string, ...pieces: readonly (readonly [keyword: string, name: string])[]): TargetReading {
  return { kind: 'understood', words, pieces: pieces.map(([keyword, name]) => ({ keyword, name })) }
}

function nounOf(text: string): string {
  return text.startsWith('project:') ? 'project' : 'repository'
}

/** `merge_request` → `merge request` */
function wordsOf(type: string): string {
  return type.replace('_', ' ')
}

/** Finds the problem of a text outside the grammar, and a text that was probably meant, which may be wrong as well. */
type FindProblem = (text: string, known: readonly string[]) => TargetProblem

const PROBLEMS: Record<PlatformSource, FindProblem> = {
  chat: chatProblem,
  forum: forumProblem,
  code_a: text => repositoryProblem(text, false),
  code_b: text => repositoryProblem(text, true),
}

function chatProblem(text: string, known: readonly string[]): TargetProblem {
  const [, stream, topic] = /^#([^>]+)(?:>(.+))?$/su.exec(text)?.map(part => part?.trim()) ?? []
  if (stream !== undefined) return problem('As a target:', chatTarget(stream, topic))
  const [, keyword = '', rest = ''] = /^(\w+):(.*)$/su.exec(text) ?? []
  if (keyword === '') return problem('Begin with the kind of place:', chatTarget(text))
  if (keyword === 'topic')
    return problem('A topic needs its stream first:', `${streamOf(known)}/topic:${encodeName(decoded(rest))}`)
  if (rest.replace(/\/topic:.*/su, '') === '') return problem('The stream needs a name, as in', 'stream:eng')
  const renamed = `stream:${rest}`
  if (/^(?:streams?|channels?)$/i.test(keyword) && renamed !== text && placeOfText('chat', renamed))
    return problem('The keyword is "stream":', renamed)
  if (keyword === 'stream') {
    const [, name = '', inner] = /^(.*?)(?:\/topic:(.*))?$/su.exec(rest) ?? []
    return problem('Write a / inside a name as %2F:', chatTarget(decoded(name), inner && decoded(inner)))
  }
  return problem('In chat, watch a stream or a topic in it, as in', 'stream:eng/topic:deploys')
}

/** A stream of another subscription, else the one in the grammar's example. */
function streamOf(known: readonly string[]): string {
  const streams = known.map(target => /^stream:[^/]+/u.exec(target)?.[0])
  return streams.find(stream => stream !== undefined && placeOfText('chat', stream)) ?? 'stream:eng'
}

function chatTarget(stream: string, topic?: string): string {
  return `stream:${encodeName(stream)}${topic === undefined ? '' : `/topic:${encodeName(topic)}`}`
}

function forumProblem(text: string): TargetProblem {
  if (/^\d{1,15}$/u.test(text)) return problem('Begin with the kind of place:', `topic:${text}`)
  if (/^topic:/u.test(text)) return problem('Name a topic of the forum by its number, as in', 'topic:123')
  if (text === 'category:') return problem('The category needs a name or a number, as in', 'category:support')
  const [, nested] = /^category:(.+)$/su.exec(text) ?? []
  if (nested !== undefined) {
    const last = segmentsOf(nested).at(-1) ?? 'support'
    return problem('Name a category without its parent:', `category:${encodeName(decoded(last))}`)
  }
  if (!/[:/]/u.test(text)) return problem('Begin with the kind of place:', `category:${encodeName(text)}`)
  return problem('In the forum, watch a category or a topic, as in', 'category:support')
}

const NUMBERED: Readonly<Record<string, string>> = {
  issues: 'issue',
  pr: 'pull_request',
  pull: 'pull_request',
  pulls: 'pull_request',
  pull_requests: 'pull_request',
  mr: 'merge_request',
  merge_requests: 'merge_request',
}

/** @param nests whether groups contain groups */
function repositoryProblem(text: string, nests: boolean): TargetProblem {
  const word = nests ? 'project' : 'repo'
  const example = nests ? 'project:ada/tools/engine' : 'repo:ada/engine'
  const [, keyword = word, path, type, number = ''] = REPOSITORY.exec(text) ?? []
  if (path === undefined) return withoutKeyword(text, word, example)
  const [, begin = '', synonym = '', rest = ''] = /^(.+?)\/([a-z_]+):([^/]*)$/su.exec(path) ?? []
  const fix = `${keyword}:${begin}/${NUMBERED[synonym]}:${rest}`
  if (type === undefined && Object.hasOwn(NUMBERED, synonym) && placeOfText(nests ? 'code_b' : 'code_a', fix))
    return problem('Write it in full:', fix)
  if (path.includes(':'))
    return problem('A path has no colon; an issue or a pull request follows it, as in', `${example}/issue:12`)
  const end = type ? `/${type}:${number}` : ''
  const segments = segmentsOf(path)
  const tidy = `${keyword}:${segments.join('/')}${end}`
  if (tidy !== text) {
    return placeOfText(nests ? 'code_b' : 'code_a', tidy)
      ? problem('There is a / too many:', tidy)
      : problem('A part of the path is empty. Write it like', example)
  }
  if (segments.length < 2)
    return problem(`A ${nests ? 'project needs its group' : 'repository needs its owner'}, as in`, example)
  if (segments.length > 2 && !nests)
    return problem('A repository is its owner and its name:', `${keyword}:${segments.slice(0, 2).join('/')}`)
  if (type === undefined) return problem('Write it like', example)
  const digits = /^[#!](\d{1,15})$/u.exec(number)?.[1]
  const named = `Name ${type === 'issue' ? 'an' : 'a'} ${wordsOf(type)} by its number`
  return problem(`${named}${digits === undefined ? ', as in' : ':'}`, `${keyword}:${path}/${type}:${digits ?? 12}`)
}

/** @param word the keyword that it should begin with */
function withoutKeyword(text: string, word: string, example: string): TargetProblem {
  const [, path = '', sign = '', number = ''] = /^([\w.-]+(?:\/[\w.-]+)+)(?:([#!])(\d{1,15}))?$/u.exec(text) ?? []
  const type = sign === '!' ? 'merge_request' : 'issue'
  if (path !== '') return problem('Begin with the kind of place:', `${word}:${path}${number && `/${type}:${number}`}`)
  return problem(
    `On code hosts, watch a ${word === 'repo' ? 'repository' : 'project'}, or an issue in it, as in`,
    example,
  )
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter(part => part !== '')
}

function problem(words: string, fix?: string): TargetProblem {
  return fix === undefined ? { kind: 'problem', words } : { kind: 'problem', words, fix }
}

/** Replaces each % that encodes nothing by %25. If that does not make the text decodable, replaces every %. */
function withEscapedPercent(text: string): string {
  const escaped = text.replaceAll(/%(?![0-9a-f]{2})|%2f/gi, found => (found === '%' ? '%25' : '%252F'))
  return decodeName(escaped) === undefined ? text.replaceAll('%', '%25') : escaped
}

/** The text itself if its percent-encoding is invalid. */
function decoded(text: string): string {
  return decodeName(text) ?? text
}

interface TargetStretch {
  text: string
  isKeyword: boolean
}

const KEYWORDS =
  /(?<=^|\/)(?:stream|topic|category|repo|repository|project|issue|pull_request|merge_request):(?=[^/]|$)/g

/** `stream:eng/topic:deploys` → `stream:`, `eng/`, `topic:`, `deploys` */
export function targetStretches(source: string, target: string): TargetStretch[] {
  if (!isPlatformSource(source)) return [{ text: target, isKeyword: false }]
  const stretches: TargetStretch[] = []
  let at = 0
  for (const { 0: keyword, index } of target.matchAll(KEYWORDS)) {
    stretches.push({ text: target.slice(at, index), isKeyword: false }, { text: keyword, isKeyword: true })
    at = index + keyword.length
  }
  stretches.push({ text: target.slice(at), isKeyword: false })
  return stretches.filter(({ text }) => text !== '')
}

/** Known targets that resemble a typed one: a few letters more, fewer or different. */

const SHOWN = 2
const COMPARED = 500
const LONGEST = 200

export function nearTargets(target: string, known: readonly string[]): string[] {
  const wanted = target.toLowerCase()
  if (wanted.length > LONGEST) return []
  return [...new Set(known)]
    .filter(other => other !== '' && other !== target && other.length <= LONGEST)
    .slice(0, COMPARED)
    .map(other => ({ other, distance: distanceOf(wanted, other.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(2, wanted.length / 5))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, SHOWN)
    .map(({ other }) => other)
}

/** Number of differing letters; a common prefix counts as nearer. */
function distanceOf(a: string, b: string): number {
  if (b.startsWith(a)) return Math.min(2, b.length - a.length)
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
