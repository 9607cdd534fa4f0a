/**
 * Parses a subscription's target during typing: its parts, or what is wrong with it and a correct text. The server
 * parses it again on saving.
 *
 * Source: docs/reference/subscription.md, "How a scope is written".
 */
import { targetOfLink } from './target-link.js'

export interface TargetPiece {
  /** `stream`, `pull request` */
  keyword: string
  /** The name, decoded. */
  name: string
}

export type TargetReading =
  /** Empty: the whole source. */
  | { kind: 'whole' }
  | { kind: 'understood'; pieces: readonly TargetPiece[]; words: string }
  /** `fix`: a valid text that was probably meant. */
  | { kind: 'problem'; words: string; fix?: string }

export const TARGET_CHARACTERS = 1024

/** @param known targets of the same source, to complete a missing name */
type Reader = (text: string, known: readonly string[]) => TargetReading

const READERS: Readonly<Record<string, Reader>> = {
  chat: readChat,
  forum: readForum,
  code_a: text => readRepository(text, false),
  code_b: text => readRepository(text, true),
}

/** Whether targets of the source follow a grammar; elsewhere any text is the key of a node. */
export function hasGrammar(source: string): boolean {
  return Object.hasOwn(READERS, source)
}

/** @param known other targets of the source, to complete missing parts */
export function readTarget(source: string, text: string, known: readonly string[] = []): TargetReading {
  if (text === '') return { kind: 'whole' }
  if (text.length > TARGET_CHARACTERS) return problem(`A target has at most ${TARGET_CHARACTERS} characters.`)
  const read = Object.hasOwn(READERS, source) ? READERS[source] : undefined
  if (!read)
    return { kind: 'understood', pieces: [], words: 'Whatever happened to the node of this key, or within it.' }
  const reading = read(text, known)
  if (reading.kind !== 'problem') return reading
  const trimmed = text.trim()
  if (trimmed === '') return problem('There are only blanks. Leave it empty to watch everything.')
  const linked = targetOfLink(source, trimmed)
  if (linked !== undefined && read(linked, known).kind === 'understood')
    return problem('That is a link; the target of it is', linked)
  if (trimmed !== text && read(trimmed, known).kind === 'understood')
    return problem('There are blanks around it:', trimmed)
  if (reading.fix === undefined || read(reading.fix, known).kind === 'understood') return reading
  // Several errors: fixing only the first would not give a valid text.
  return problem(reading.words.replace(/:$/, '.'))
}

/** A part of a displayed target; keywords are muted. */
export interface TargetStretch {
  text: string
  isKeyword: boolean
}

const KEYWORDS =
  /(?<=^|\/)(?:stream|topic|category|repo|repository|project|issue|pull_request|merge_request):(?=[^/]|$)/g

/** `stream:eng/topic:deploys` → `stream:`, `eng/`, `topic:`, `deploys` */
export function targetStretches(source: string, target: string): TargetStretch[] {
  if (!hasGrammar(source)) return [{ text: target, isKeyword: false }]
  const stretches: TargetStretch[] = []
  let at = 0
  for (const { 0: keyword, index } of target.matchAll(KEYWORDS)) {
    stretches.push({ text: target.slice(at, index), isKeyword: false }, { text: keyword, isKeyword: true })
    at = index + keyword.length
  }
  stretches.push({ text: target.slice(at), isKeyword: false })
  return stretches.filter(({ text }) => text !== '')
}

function readChat(text: string, known: readonly string[]): TargetReading {
  const [, stream, topic] = /^stream:([^/]+)(?:\/topic:([^/]*))?$/su.exec(text) ?? []
  if (stream !== undefined) {
    const names = [decode(stream), decode(topic ?? '')]
    if (names.includes(undefined)) return badPercent(text)
    const [streamName = '', topicName = ''] = names
    return topic === undefined
      ? understood('One stream, every topic in it.', ['stream', streamName])
      : understood('One topic in one stream.', ['stream', streamName], ['topic', topicName])
  }
  const [, zulipStream, zulipTopic] = /^#([^>]+)(?:>(.+))?$/su.exec(text)?.map(part => part?.trim()) ?? []
  if (zulipStream !== undefined) return problem('Written as a target that is', chatTarget(zulipStream, zulipTopic))
  const [, keyword = '', rest = ''] = /^(\w+):(.*)$/su.exec(text) ?? []
  if (keyword === '') return problem('Say what it is first:', chatTarget(text))
  if (keyword === 'topic')
    return problem('A topic needs its stream first:', `${streamOf(known)}/topic:${encode(decode(rest) ?? rest)}`)
  if (rest.replace(/\/topic:.*/su, '') === '') return problem('The stream needs a name, as in', 'stream:eng')
  if (/^(?:streams|channel|channels)$/i.test(keyword) || (keyword !== 'stream' && /^stream$/i.test(keyword))) {
    const fixed = `stream:${rest}`
    if (readChat(fixed, known).kind === 'understood') return problem('Chat is made of streams:', fixed)
  }
  if (keyword === 'stream') {
    const [, name = '', topicPart] = /^(.*?)(?:\/topic:(.*))?$/su.exec(rest) ?? []
    return problem(
      'A / inside a name is written %2F:',
      chatTarget(decode(name) ?? name, topicPart && (decode(topicPart) ?? topicPart)),
    )
  }
  return problem('In chat one watches a stream or a topic in it, as in', 'stream:eng/topic:deploys')
}

/** The stream that is watched already; else the one in the grammar's example. */
function streamOf(known: readonly string[]): string {
  const streams = known.map(target => /^stream:[^/]+/u.exec(target)?.[0])
  return streams.find(stream => stream !== undefined && decode(stream) !== undefined) ?? 'stream:eng'
}

function chatTarget(stream: string, topic?: string): string {
  return `stream:${encode(stream)}${topic === undefined ? '' : `/topic:${encode(topic)}`}`
}

function readForum(text: string): TargetReading {
  const [, id] = /^topic:(\d{1,15})$/u.exec(text) ?? []
  if (id !== undefined) return understood('One topic, every reply in it.', ['topic', String(Number(id))])
  const [, category] = /^category:([^/]+)$/su.exec(text) ?? []
  if (category !== undefined) {
    const name = decode(category)
    return name === undefined ? badPercent(text) : understood('One category, every topic in it.', ['category', name])
  }
  if (/^\d{1,15}$/u.test(text)) return problem('Say what it is first:', `topic:${text}`)
  if (/^topic:/u.test(text)) return problem('A topic of the forum is named by its number, as in', 'topic:123')
  if (text === 'category:') return problem('The category needs a name or a number, as in', 'category:support')
  const [, nested] = /^category:(.+)$/su.exec(text) ?? []
  if (nested !== undefined) {
    const last =
      nested
        .split('/')
        .filter(part => part !== '')
        .at(-1) ?? 'support'
    return problem('A category is named without the one around it:', `category:${encode(decode(last) ?? last)}`)
  }
  if (!/[:/]/u.test(text)) return problem('Say what it is first:', `category:${encode(text)}`)
  return problem('In the forum one watches a category or a topic, as in', 'category:support')
}

const REPOSITORY = /^(repo|repository|project):(.+?)(?:\/(issue|pull_request|merge_request):([^/]*))?$/su
/** Synonyms of the grammar's keywords. */
const NUMBERED: Readonly<Record<string, string>> = {
  issues: 'issue',
  pr: 'pull_request',
  pull: 'pull_request',
  pulls: 'pull_request',
  pull_requests: 'pull_request',
  mr: 'merge_request',
  merge_requests: 'merge_request',
}

function readRepository(text: string, nests: boolean): TargetReading {
  const word = nests ? 'project' : 'repo'
  const example = nests ? 'project:ada/tools/engine' : 'repo:ada/engine'
  const [, keyword = word, path, type, number = ''] = REPOSITORY.exec(text) ?? []
  if (path === undefined) return otherRepository(text, word, nests, example)
  const [, begin = '', wrong = '', rest = ''] = /^(.+?)\/([a-z_]+):([^/]*)$/su.exec(path) ?? []
  if (type === undefined && Object.hasOwn(NUMBERED, wrong)) {
    const fix = `${keyword}:${begin}/${NUMBERED[wrong]}:${rest}`
    if (readRepository(fix, nests).kind === 'understood') return problem('It is written in full:', fix)
  }
  if (path.includes(':'))
    return problem('A path has no colon; what follows it is an issue or a pull request, as in', `${example}/issue:12`)
  const segments = path.split('/').map(decode)
  if (segments.includes(undefined) || segments.some(segment => segment?.includes('/'))) return badPercent(text)
  if (segments.includes('')) {
    const tidy = `${keyword}:${path
      .split('/')
      .filter(part => part !== '')
      .join('/')}${type ? `/${type}:${number}` : ''}`
    const isMended = tidy !== text && readRepository(tidy, nests).kind === 'understood'
    return isMended
      ? problem('There is a / too many:', tidy)
      : problem('A part of the path is empty. It is written like', example)
  }
  if (segments.length < 2)
    return problem(`A ${nests ? 'project needs its group' : 'repository needs its owner'}, as in`, example)
  if (segments.length > 2 && !nests)
    return problem('A repository is its owner and its name:', `${keyword}:${path.split('/').slice(0, 2).join('/')}`)
  const name = segments.join('/')
  const noun = keyword === 'project' ? 'project' : 'repository'
  if (type === undefined) return understood(`One ${noun}, everything in it.`, [noun, name])
  const numbered = type.replace('_', ' ')
  if (/^\d{1,15}$/u.test(number)) {
    const article = numbered === 'issue' ? 'One issue' : `One ${numbered}`
    return understood(`${article} in one ${noun}.`, [noun, name], [numbered, String(Number(number))])
  }
  const digits = /^[#!](\d{1,15})$/u.exec(number)?.[1] ?? '12'
  return problem(
    `${numbered === 'issue' ? 'An issue' : `A ${numbered}`} is named by its number${digits === '12' ? ', as in' : ':'}`,
    `${keyword}:${path}/${type}:${digits}`,
  )
}

function otherRepository(text: string, word: string, nests: boolean, example: string): TargetReading {
  const [, path = '', sign = '', number = ''] = /^([\w.-]+(?:\/[\w.-]+)+)(?:([#!])(\d{1,15}))?$/u.exec(text) ?? []
  if (path !== '') {
    const type = sign === '!' ? 'merge_request' : 'issue'
    const fix = `${word}:${path}${number ? `/${type}:${number}` : ''}`
    if (readRepository(fix, nests).kind === 'understood') return problem('Say what it is first:', fix)
  }
  return problem(`On code hosts one watches a ${nests ? 'project' : 'repository'}, or an issue in it, as in`, example)
}

function understood(words: string, ...pieces: readonly (readonly [keyword: string, name: string])[]): TargetReading {
  return { kind: 'understood', words, pieces: pieces.map(([keyword, name]) => ({ keyword, name })) }
}

function problem(words: string, fix?: string): TargetReading {
  return fix === undefined ? { kind: 'problem', words } : { kind: 'problem', words, fix }
}

function badPercent(text: string): TargetReading {
  return problem(
    'A % inside a name is written %25:',
    text.replaceAll(/%(?![0-9a-f]{2})|%2f/gi, found => (found === '%' ? '%25' : '%252F')),
  )
}

function encode(name: string): string {
  return name.replaceAll('%', '%25').replaceAll('/', '%2F')
}

/** @returns undefined for invalid percent-encoding */
function decode(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
