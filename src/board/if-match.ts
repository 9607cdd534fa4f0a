import { invalidField } from '../model/app-error.js'

/** The versions that a change may replace. */
type WantedVersions = 'any' | readonly number[]

/** One element of a list, which may be empty, up to the next comma or the end. */
const ELEMENT = /[ \t]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/gy
const VERSION = /^[1-9]\d{0,14}$/

/**
 * Reads `If-Match`: the tag of a card is its version in quotes. Weak tags, and tags that no card ever had, match
 * nothing.
 *
 * @throws AppError `invalid/invalid_field` if it is not a list of entity tags
 *
 * Source: RFC 9110, sections 8.8.3 and 13.1.1.
 */
export function readIfMatch(header: string | undefined): WantedVersions {
  if (header === undefined || header.trim() === '*') return 'any'
  const versions = readTags(header)
    ?.filter(({ weak }) => !weak)
    .map(({ tag }) => tag)
  if (versions) return versions.filter(tag => VERSION.test(tag)).map(Number)
  throw invalidField('If-Match', 'If-Match must be * or a list of entity tags, such as "3".')
}

/**
 * Whether `If-None-Match` names this version, weakly or not. A header that is not a list of entity tags names nothing.
 *
 * Source: RFC 9110, section 13.1.2.
 */
export function isNoneMatch(header: string | undefined, version: number): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || (readTags(header)?.some(({ tag }) => tag === String(version)) ?? false)
}

/** @returns `undefined` for an empty list, or a text that is not a list */
function readTags(header: string): { weak: boolean; tag: string }[] | undefined {
  const elements = [...header.matchAll(ELEMENT)]
  const length = elements.reduce((sum, [text]) => sum + text.length, 0)
  const tags = elements.flatMap(([, weak, tag]) => (tag === undefined ? [] : [{ weak: weak !== undefined, tag }]))
  return length === header.length && tags.length > 0 ? tags : undefined
}
