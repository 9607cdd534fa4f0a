/**
 * A scope that the target grammar can express, and its forms: the `scope` and the `filters` of a subscription, its
 * target text, and its key. Each form converts to the others.
 *
 * Source: Event Ledger Service, "Subscription"; decisions, section 6.
 */
import type { Scope } from './subscription.js'

export type Place =
  | { type: 'stream'; name: string }
  | { type: 'stream_topic'; stream: string; name: string }
  | { type: 'category_id' | 'topic_id'; id: string }
  | { type: 'category_slug'; slug: string }
  /** `owner/name`, or a longer path where namespaces nest. */
  | { type: 'repository'; path: string }
  | { type: NumberedType; path: string; number: string }

export type NumberedType = 'issue' | 'pull_request'

/** Neutral words for the platforms' own words. */
const NEUTRAL: ReadonlyMap<string, string> = new Map([
  ['channel', 'stream'],
  ['merge_request', 'pull_request'],
  ['project', 'repository'],
  ['repo', 'repository'],
])

export function neutralType(type: string): string {
  return NEUTRAL.get(type) ?? type
}

export function toScope(place: Place): Scope {
  switch (place.type) {
    case 'stream':
      return { type: 'stream', display: place.name }
    case 'stream_topic':
      return { type: 'topic', display: place.name, parent: { type: 'stream', display: place.stream } }
    case 'category_id':
      return { type: 'category', key: `category:${place.id}` }
    case 'topic_id':
      return { type: 'topic', key: `topic:${place.id}` }
    case 'category_slug':
      return { type: 'category', display: place.slug }
    case 'repository':
      return { type: 'repository', display: place.path }
    case 'issue':
    case 'pull_request':
      return {
        type: place.type,
        display: `#${place.number}`,
        metadata: { number: Number(place.number) },
        parent: { type: 'repository', display: place.path },
      }
  }
}

export function toFilters(place: Place): Record<string, unknown> {
  switch (place.type) {
    case 'stream':
      return { stream: place.name }
    case 'stream_topic':
      return { stream: place.stream, topic: place.name }
    case 'category_id':
      return { category: Number(place.id) }
    case 'topic_id':
      return { topic: Number(place.id) }
    case 'category_slug':
      return { category: place.slug }
    case 'repository':
      return { repository: place.path }
    case 'issue':
    case 'pull_request':
      return { repository: place.path, [place.type]: Number(place.number) }
  }
}

export function toTargetText(place: Place): string {
  switch (place.type) {
    case 'stream':
      return `stream:${encodeName(place.name)}`
    case 'stream_topic':
      return `stream:${encodeName(place.stream)}/topic:${encodeName(place.name)}`
    case 'category_id':
      return `category:${place.id}`
    case 'topic_id':
      return `topic:${place.id}`
    case 'category_slug':
      return `category:${encodeName(place.slug)}`
    case 'repository':
      return `repo:${encodePath(place.path)}`
    case 'issue':
    case 'pull_request':
      return `repo:${encodePath(place.path)}/${place.type}:${place.number}`
  }
}

export function toPlaceKey(place: Place): string {
  switch (place.type) {
    case 'stream':
      return namedKey('stream', place.name)
    case 'stream_topic':
      return `${namedKey('stream', place.stream)}/${namedKey('topic', place.name)}`
    case 'category_id':
      return `category:${place.id}`
    case 'topic_id':
      return `topic:${place.id}`
    case 'category_slug':
      return namedKey('category', place.slug)
    case 'repository':
      return namedKey('repository', place.path)
    case 'issue':
    case 'pull_request':
      return `${namedKey('repository', place.path)}/${place.type}:${place.number}`
  }
}

/**
 * `<type>:<name>`, such as `stream:eng`, `repository:ada/engine`.
 *
 * A name of digits alone has its first digit percent-encoded, so that it does not look like a native id. Comparison
 * ignores the case of repository names; these keep the slashes of their path.
 */
export function namedKey(type: string, name: string): string {
  const encoded = type === 'repository' ? encodePath(name.toLowerCase()) : encodeName(name)
  return isDigits(encoded) ? `${type}:%3${encoded}` : `${type}:${encoded}`
}

function isDigits(text: string): boolean {
  // Fast path: most names begin with a letter, and every event has several.
  return text.charCodeAt(0) <= 0x39 && /^\d+$/u.test(text)
}

/** A name in the form of a target. */
export function encodeName(name: string): string {
  return name.replaceAll('%', '%25').replaceAll('/', '%2F')
}

function encodePath(path: string): string {
  return path.replaceAll('%', '%25')
}
