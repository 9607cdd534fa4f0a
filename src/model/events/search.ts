/**
 * Text search: every term occurs as a substring, ignoring case, in one string value of `payload`, `actor` or
 * `conversation`. Member names do not count.
 *
 * Source: Event Ledger Service, `q` of GET /api/events; decisions, section 3.
 */
import { AppError } from '../app-error.js'
import type { StoredEvent } from './event.js'
import { QUERY_LIMITS } from './event-query.js'

/** One word or phrase with folded case. Never empty. */
export type SearchTerm = string

const QUOTED_OR_WORD = /"([^"]*)"?|(\S+)/gu

/**
 * Reads a search text: words separated by blanks, and phrases in double quotes.
 *
 * @returns distinct folded terms; none for a text of blanks
 * @throws AppError `invalid/invalid_field` when longer than 4,096 characters
 */
export function readSearch(field: string, text: string): SearchTerm[] {
  checkLength(field, text)
  const terms = new Set<SearchTerm>()
  for (const [, phrase, word] of text.matchAll(QUOTED_OR_WORD)) {
    const term = foldCase(phrase ?? word ?? '')
    if (term) terms.add(term)
  }
  return [...terms]
}

/** @throws AppError `invalid/invalid_field` when longer than 4,096 characters */
export function checkLength(field: string, text: string): void {
  if (text.length <= QUERY_LIMITS.searchCharacters) return
  const detail = `${field} has more than ${QUERY_LIMITS.searchCharacters} characters.`
  throw new AppError('invalid', 'invalid_field', detail, { errors: [{ field, detail }] })
}

/** The distinct string values that `q` searches, with folded case. */
export function searchableStrings(event: Pick<StoredEvent, 'actor' | 'conversation' | 'payload'>): Set<string> {
  const found = new Set<string>()
  collectStrings(event.actor, found)
  collectStrings(event.conversation, found)
  collectStrings(event.payload, found)
  return found
}

function collectStrings(value: unknown, found: Set<string>): void {
  if (typeof value === 'string') {
    if (value) found.add(foldCase(value))
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) collectStrings(member, found)
  }
}

const ASCII = /^[\x00-\x7f]*$/

/**
 * Characters that `toLowerCase` does not map to their folded form (final sigma, long s, micro sign …). Source:
 * Unicode CaseFolding.txt, status C and S; a test compares this with the engine's own folding.
 */
const BEYOND_LOWER_CASE = new Map(
  Object.entries({
    µ: 'μ',
    ſ: 's',
    '\u0345': 'ι',
    ς: 'σ',
    ϐ: 'β',
    ϑ: 'θ',
    ϕ: 'φ',
    ϖ: 'π',
    ϰ: 'κ',
    ϱ: 'ρ',
    ϵ: 'ε',
    ᲀ: 'в',
    ᲁ: 'д',
    ᲂ: 'о',
    ᲃ: 'с',
    ᲄ: 'т',
    ᲅ: 'т',
    ᲆ: 'ъ',
    ᲇ: 'ѣ',
    ᲈ: 'ꙋ',
    ẛ: 'ṡ',
    '\u1fbe': 'ι',
  }),
)
const BEYOND_LOWER_CASE_PATTERN = new RegExp(`[${[...BEYOND_LOWER_CASE.keys()].join('')}]`, 'gu')

/** Characters that `toUpperCase` of their folded form does not yield: signs, title case, capital sharp s. */
const BEYOND_UPPER_CASE = [...'\u212a\u212b\u2126ẞϴǅǈǋǲᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛᾜᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾼῌῼ']

/** Folds letter case by Unicode simple case folding: texts that differ only in case become the same text. */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  // Dotted capital I has no simple folding; `toLowerCase` would make two characters of it.
  return text
    .split('İ')
    .map(part =>
      part.toLowerCase().replace(BEYOND_LOWER_CASE_PATTERN, character => BEYOND_LOWER_CASE.get(character) ?? character),
    )
    .join('İ')
}

/** All spellings of a folded character: itself and every character that folds to it. */
export function caseVariants(character: string): string[] {
  const variants = new Set([character, character.toUpperCase()])
  for (const [from, to] of BEYOND_LOWER_CASE) if (to === character) variants.add(from)
  for (const from of BEYOND_UPPER_CASE) if (foldCase(from) === character) variants.add(from)
  return [...variants].filter(variant => foldCase(variant) === character)
}
