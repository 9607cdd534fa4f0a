/**
 * The marks of an event's facets: 256 bits, of which each facet sets four. An event that has a facet has all marks of
 * it; so does about one in 4,000 other events. They cost the caller about half a microsecond for each event.
 */
import { foldCase } from '../../../model/events/search.js'
import { FACET_NAMES, type FacetName, type WantedFacet } from './facets.js'

/** Words of 32 bits. */
export const MARK_WORDS = 8
/** Characters of a value that set marks; the rest sets none. */
const MARKED_CHARACTERS = 200

const SEEDS = Object.fromEntries(FACET_NAMES.map((name, at) => [name, Math.imul(at + 1, 0x9e3779b1)])) as Record<
  FacetName,
  number
>
const FIRST_NON_ASCII = 0x80
const UPPER_CASE = { first: 0x41, last: 0x5a, toLower: 0x20 }

/** Adds the marks of a facet to those of an event, which begin `at` there. */
export function addMarks(marks: Uint32Array, at: number, name: FacetName, value: string): void {
  const hash = hashOf(name, value)
  for (let shift = 0; shift < 32; shift += 8) {
    const bit = (hash >>> shift) & 0xff
    const word = at + (bit >>> 5)
    marks[word] = (marks[word] as number) | (1 << (bit & 31))
  }
}

/** Prepares a search in the marks of many events. @returns whether the event whose marks begin `at` there may match */
export function markFinder(wanted: readonly WantedFacet[]): (marks: Uint32Array, at: number) => boolean {
  const clauses = wanted
    .filter(({ name, values }) => name !== 'kind' || !values.some(kind => kind.endsWith('.*')))
    .map(({ name, values }) => values.map(value => hashOf(name, value)))
  return (marks, at) => clauses.every(hashes => hashes.some(hash => hasMarks(marks, at, hash)))
}

function hasMarks(marks: Uint32Array, at: number, hash: number): boolean {
  for (let shift = 0; shift < 32; shift += 8) {
    const bit = (hash >>> shift) & 0xff
    if (((marks[at + (bit >>> 5)] as number) & (1 << (bit & 31))) === 0) return false
  }
  return true
}

/** FNV-1a of the folded text, and the finaliser of MurmurHash3: every byte of the result counts. */
function hashOf(name: FacetName, value: string): number {
  let text = value.length > MARKED_CHARACTERS ? value.slice(0, MARKED_CHARACTERS) : value
  let hash = SEEDS[name]
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit >= FIRST_NON_ASCII) {
      // The rest is folded as a whole. Folding keeps the length, and all characters before are ASCII.
      text = foldCase(text)
      for (let rest = at; rest < text.length; rest++) hash = Math.imul(hash ^ text.charCodeAt(rest), 0x01000193)
      break
    }
    const isUpper = unit >= UPPER_CASE.first && unit <= UPPER_CASE.last
    hash = Math.imul(hash ^ (isUpper ? unit + UPPER_CASE.toLower : unit), 0x01000193)
  }
  const first = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35)
  return second ^ (second >>> 16)
}
