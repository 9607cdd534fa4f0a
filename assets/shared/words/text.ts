/**
 * Splits foreign text into safe pieces. None is markup, and none can reorder or cover neighbouring text: control and
 * direction characters become named tags, stacks of combining marks are cut.
 */

/** A stretch of text, or the name of a hidden character. */
export type TextPiece = { kind: 'text'; text: string; isMatch: boolean } | { kind: 'tag'; name: string }

interface ShownText {
  pieces: readonly TextPiece[]
  isCutBefore: boolean
  isCutAfter: boolean
}

export interface TextOptions {
  /** Maximum number of characters (UTF-16). */
  limit?: number
  /** Terms to highlight, ignoring case. */
  terms?: readonly string[]
  /** Whether to start shortly before the first match if the match would otherwise be cut off. */
  isExcerpt?: boolean
}

export const TEXT_LIMIT = 4000
const PLAIN_LIMIT = 300

const EXCERPT_BEFORE = 32
const EXCERPT_FROM = 80

/** By code point. */
const NAMES = new Map(
  `0 NUL, 7 BEL, 8 BS, 1b ESC, 7f DEL, ad SHY, 61c ALM, 180e MVS, 200b ZWSP, 200e LRM, 200f RLM, 2028 LS, 2029 PS,
  202a LRE, 202b RLE, 202c PDF, 202d LRO, 202e RLO, 2060 WJ, 2066 LRI, 2067 RLI, 2068 FSI, 2069 PDI, feff BOM`
    .split(/,\s+/)
    .map(named => named.split(' ') as [string, string]),
)

/**
 * Controls except tab and line feed, direction controls, invisible characters, lone surrogates, tags, and stacks of
 * combining marks. Joiners (U+200C, U+200D) stay, because scripts and emoji need them. A joiner within a stack does not
 * end the stack.
 */
const SPECIAL =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\p{Cs}\u{e0000}-\u{e007f}]|(?<=[\p{Mn}\p{Me}\u200c\u200d]{5})[\p{Mn}\p{Me}\u200c\u200d]+/gu

/** The visible form of a text. @param text anything, of any length */
export function shownText(
  text: string,
  { limit = TEXT_LIMIT, terms = [], isExcerpt = false }: TextOptions = {},
): ShownText {
  let from = 0
  if (isExcerpt && terms.length > 0) {
    const [first] = findMatches(text, terms, 1)
    if (first && first[0] > EXCERPT_FROM) from = boundary(text, first[0] - EXCERPT_BEFORE)
  }
  const to = text.length - from <= limit ? text.length : boundary(text, from + limit)
  const shown = text.slice(from, to).replaceAll('\r\n', '\n')
  return { pieces: toPieces(shown, terms), isCutBefore: from > 0, isCutAfter: to < text.length }
}

/**
 * The same as plain text, for names and tooltips, which cannot contain tags. Invisible characters are removed.
 */
export function plainText(text: string, limit = PLAIN_LIMIT): string {
  const { pieces, isCutAfter } = shownText(text, { limit })
  return pieces.map(piece => (piece.kind === 'text' ? piece.text : '')).join('') + (isCutAfter ? '…' : '')
}

function toPieces(text: string, terms: readonly string[]): TextPiece[] {
  const pieces: TextPiece[] = []
  let at = 0
  const upTo = (end: number) => {
    if (end > at) pieces.push(...withMatches(text.slice(at, end), terms))
  }
  for (const match of text.matchAll(SPECIAL)) {
    upTo(match.index)
    pieces.push({ kind: 'tag', name: nameOf(match[0]) })
    at = match.index + match[0].length
  }
  upTo(text.length)
  return pieces
}

function nameOf(special: string): string {
  const code = special.codePointAt(0) ?? 0
  if (/^[\p{Mn}\p{Me}\u200c\u200d]/u.test(special)) return `+${special.length} marks`
  const hex = code.toString(16)
  return NAMES.get(hex) ?? `U+${hex.toUpperCase().padStart(4, '0')}`
}

function withMatches(text: string, terms: readonly string[]): TextPiece[] {
  const pieces: TextPiece[] = []
  let at = 0
  for (const [start, end] of findMatches(text, terms)) {
    if (start > at) pieces.push({ kind: 'text', text: text.slice(at, start), isMatch: false })
    pieces.push({ kind: 'text', text: text.slice(start, end), isMatch: true })
    at = end
  }
  if (at < text.length) pieces.push({ kind: 'text', text: text.slice(at), isMatch: false })
  return pieces
}

/** Positions of the terms: `[start, end)`, ascending, without overlap. */
export function findMatches(text: string, terms: readonly string[], most = 500): [number, number][] {
  const wanted = terms.map(term => fold(term).folded).filter(term => term !== '')
  if (wanted.length === 0) return []
  const { folded, indexOf } = fold(text)
  const found: [number, number][] = []
  for (let at = 0; found.length < most; ) {
    let best: [number, number] | undefined
    for (const term of wanted) {
      const start = folded.indexOf(term, at)
      const isBetter = !best || start < best[0] || (start === best[0] && start + term.length > best[1])
      if (start !== -1 && isBetter) best = [start, start + term.length]
    }
    if (!best) break
    found.push([indexOf(best[0]), indexOf(best[1])])
    at = best[1]
  }
  return found
}

interface Folded {
  folded: string
  /** Maps an index of the folded text to one of the original. */
  indexOf: (at: number) => number
}

function fold(text: string): Folded {
  const folded = text.toLowerCase()
  if (folded.length === text.length) return { folded, indexOf: at => at }
  // Some letters become longer when folded: fold each alone and record its origin.
  const places: number[] = []
  let letters = ''
  let at = 0
  for (const letter of text) {
    const small = letter.toLowerCase()
    for (let i = 0; i < small.length; i++) places.push(at)
    letters += small
    at += letter.length
  }
  places.push(text.length)
  return { folded: letters, indexOf: place => places[place] ?? text.length }
}

/** An index near `at` that is not within a surrogate pair. */
function boundary(text: string, at: number): number {
  const isLowSurrogate = /[\udc00-\udfff]/.test(text.charAt(at)) && /[\ud800-\udbff]/.test(text.charAt(at - 1))
  return isLowSurrogate ? at - 1 : at
}

/** The terms of a search, parsed as the server does: separated by blanks, `"a phrase"` kept together. */
export function searchTerms(search: string): string[] {
  const found = [...search.matchAll(/"([^"]*)"?|(\S+)/gu)].map(([, phrase, word]) => phrase ?? word ?? '')
  return [...new Set(found.filter(term => term !== ''))]
}

/** Two letters for an avatar: of the first and last word, or the first two of a single word; only one if it is wide. */
export function initials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter(word => word !== '')
  const [first = '', last = ''] = words.length > 1 ? [words[0], words.at(-1)] : [words[0]]
  if (isWide(first)) return [...first][0] ?? ''
  const letters = last ? [[...first][0], [...last][0]] : [...first].slice(0, 2)
  return letters.join('').toUpperCase() || '?'
}

/** Whether the letters of a word are as wide as two others. */
function isWide(word: string): boolean {
  return /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(word)
}

/** `failed` → `Failed` */
export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** `2.1 KB` */
export function bytes(amount: number): string {
  if (amount < 1000) return `${amount}\u202fB`
  const units = ['KB', 'MB', 'GB']
  const power = Math.min(units.length, Math.floor(Math.log10(amount) / 3))
  const shown = amount / 1000 ** power
  return `${shown.toFixed(shown < 10 ? 1 : 0)}\u202f${units[power - 1]}`
}
