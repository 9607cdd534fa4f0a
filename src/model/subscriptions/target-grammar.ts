/** Parses the forms of a scope that people and programs write: target text, `scope`, `filters`. */
import type { PlatformSource } from '../platforms/platform-source.js'
import type { Scope } from './subscription.js'
import { type NumberedType, neutralType, type Place } from './target-place.js'

/** Longest target. */
export const TARGET_CHARACTERS = 1024

interface TargetForm {
  form: string
  example: string
}

const REPOSITORY_FORMS: readonly TargetForm[] = [
  { form: 'repo:<owner>/<name>', example: 'repo:ada/engine' },
  { form: 'repo:<owner>/<name>/issue:<number>', example: 'repo:ada/engine/issue:12' },
  { form: 'repo:<owner>/<name>/pull_request:<number>', example: 'repo:ada/engine/pull_request:34' },
]

export const TARGET_FORMS: Record<PlatformSource, readonly TargetForm[]> = {
  chat: [
    { form: 'stream:<name>', example: 'stream:eng' },
    { form: 'stream:<name>/topic:<name>', example: 'stream:eng/topic:deploys' },
  ],
  forum: [
    { form: 'category:<id or slug>', example: 'category:support' },
    { form: 'topic:<id>', example: 'topic:123' },
  ],
  code_a: REPOSITORY_FORMS,
  code_b: [
    ...REPOSITORY_FORMS,
    { form: 'project:<group>/<name>', example: 'project:ada/tools/engine' },
    { form: 'project:<group>/<name>/issue:<number>', example: 'project:ada/tools/engine/issue:12' },
    { form: 'project:<group>/<name>/merge_request:<number>', example: 'project:ada/tools/engine/merge_request:34' },
  ],
}

const STREAM = /^stream:([^/]+)(?:\/topic:([^/]*))?$/su
const CATEGORY = /^category:([^/]+)$/su
const TOPIC = /^topic:(\d+)$/u
/** Keyword, path, then type and number of a thing in the repository. */
export const REPOSITORY = /^(repo|repository|project):(.+?)(?:\/(issue|pull_request|merge_request):([^/]*))?$/su

/** @returns undefined for a text outside the grammar */
export function placeOfText(source: PlatformSource, text: string): Place | undefined {
  switch (source) {
    case 'chat': {
      const [, stream, topic] = STREAM.exec(text) ?? []
      return streamPlace(decodeName(stream), decodeName(topic), topic !== undefined)
    }
    case 'forum': {
      const id = readId(TOPIC.exec(text)?.[1])
      if (id !== undefined) return { type: 'topic_id', id }
      return categoryPlace(decodeName(CATEGORY.exec(text)?.[1]))
    }
    case 'code_a':
    case 'code_b': {
      const [, , path, type, number] = REPOSITORY.exec(text) ?? []
      const segments = path?.split('/').map(decodeName)
      // A colon is never part of a path, but often of a misspelt `/issue:12`.
      if (!segments || path?.includes(':') || segments.some(segment => segment?.includes('/') ?? true)) return undefined
      return repositoryPlace(source, segments.join('/'), type && neutralType(type), number)
    }
  }
}

/** @returns undefined if the scope names nothing in the grammar, such as one with a native id only */
export function placeOfScope(source: PlatformSource, scope: Scope): Place | undefined {
  const type = neutralType(scope.type ?? '')
  const { display, parent } = scope
  switch (source) {
    case 'chat':
      if (type === 'stream') return streamPlace(display, undefined, false)
      if (type !== 'topic' || display === undefined || neutralType(parent?.type ?? '') !== 'stream') return undefined
      return streamPlace(parent?.display, display, true)
    case 'forum': {
      const id = scope.key?.startsWith(`${type}:`) ? readId(scope.key.slice(type.length + 1)) : undefined
      if (type === 'topic') return id === undefined ? undefined : { type: 'topic_id', id }
      if (type !== 'category') return undefined
      return id === undefined ? slugPlace(scope.metadata?.slug ?? display) : { type: 'category_id', id }
    }
    case 'code_a':
    case 'code_b':
      if (type === 'repository') return repositoryPlace(source, display, undefined, undefined)
      if (neutralType(parent?.type ?? '') !== 'repository') return undefined
      return repositoryPlace(source, parent?.display, type, scope.metadata?.number ?? numberIn(display))
  }
}

/** @returns undefined if the filters name nothing in the grammar */
export function placeOfFilters(source: PlatformSource, filters: Record<string, unknown>): Place | undefined {
  switch (source) {
    case 'chat':
      return streamPlace(filters.stream, filters.topic, filters.topic !== undefined)
    case 'forum': {
      const topic = readId(filters.topic)
      return topic === undefined ? categoryPlace(filters.category) : { type: 'topic_id', id: topic }
    }
    case 'code_a':
    case 'code_b': {
      const path = filters.repository ?? filters.repo ?? filters.project
      if (filters.issue !== undefined) return repositoryPlace(source, path, 'issue', filters.issue)
      const pullRequest = filters.pull_request ?? filters.merge_request
      return repositoryPlace(source, path, pullRequest === undefined ? undefined : 'pull_request', pullRequest)
    }
  }
}

/** A topic may have an empty name, a stream may not. */
function streamPlace(stream: unknown, topic: unknown, withTopic: boolean): Place | undefined {
  if (typeof stream !== 'string' || stream === '') return undefined
  if (!withTopic) return { type: 'stream', name: stream }
  return typeof topic === 'string' ? { type: 'stream_topic', stream, name: topic } : undefined
}

function categoryPlace(value: unknown): Place | undefined {
  const id = readId(value)
  return id === undefined ? slugPlace(value) : { type: 'category_id', id }
}

function slugPlace(value: unknown): Place | undefined {
  return typeof value === 'string' && !isNoName(value) ? { type: 'category_slug', slug: value } : undefined
}

function repositoryPlace(source: PlatformSource, path: unknown, type: unknown, number: unknown): Place | undefined {
  if (typeof path !== 'string' || path.includes(':')) return undefined
  const segments = path.split('/')
  const nests = source === 'code_b'
  if (segments.some(isNoName) || segments.length < 2 || (segments.length > 2 && !nests)) return undefined
  if (type === undefined) return { type: 'repository', path }
  const read = readId(number)
  return isNumbered(type) && read !== undefined ? { type, path, number: read } : undefined
}

/** Names that polls must not write into addresses, where dots would lead elsewhere. No platform permits such names. */
function isNoName(segment: string): boolean {
  return segment === '' || segment === '.' || segment === '..'
}

/** `#12 Title`, as event nodes display it; `!12` on GitLab. */
function numberIn(display: string | undefined): string | undefined {
  return /^[#!]?(\d+)(?:\s|$)/u.exec(display ?? '')?.[1]
}

function isNumbered(type: unknown): type is NumberedType {
  return type === 'issue' || type === 'pull_request'
}

/** A native id or number in its only form: no sign, no leading zeros. */
export function readId(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && /^[0-9]{1,15}$/u.test(text) ? String(Number(text)) : undefined
}

/** @returns undefined for invalid percent-encoding */
export function decodeName(text: string | undefined): string | undefined {
  if (text === undefined || !text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
