import { caseVariants } from '../../../model/events/search.js'

const MAX_PATTERNS = 9
const MAX_CHARACTERS = 32
/** A piece of this many bytes is rare enough; from there on, fewer patterns are better than a longer piece. */
const SELECTIVE_BYTES = 4
/** Escapes inside LIKE. Not the backslash: JSON text is full of them. */
export const LIKE_ESCAPE = '!'

/**
 * LIKE patterns: every stored body that contains all of these folded terms matches at least one pattern. The patterns
 * narrow a search; they do not decide.
 *
 * LIKE ignores the case of ASCII letters only, so any other spelling of a character is a separate pattern (also of `k`
 * and `s`, which have one beyond ASCII), and each pattern reads the whole body. So the patterns cover a piece of a term
 * that needs few of them. JSON text spells a character in one way only.
 *
 * @param terms at least one
 * @returns 1 to 9 patterns
 */
export function bodyPatterns(terms: readonly string[]): string[] {
  const best = terms.flatMap(piecesOf).reduce((best, piece) => (isBetter(piece, best) ? piece : best))
  const spellings = best.characters.reduce(
    (begun, variants) => begun.flatMap(text => variants.map(variant => text + inLike(inJson(variant)))),
    [''],
  )
  return spellings.map(spelling => `%${spelling}%`)
}

/** Neighbouring characters of a term. */
interface Piece {
  /** For each character, the spellings that LIKE distinguishes. */
  characters: readonly string[][]
  patterns: number
  /** In UTF-8. */
  bytes: number
}

/**
 * The longest pieces from each character on: with one pattern, with at most two, at most four, and with as many as are
 * allowed.
 */
function piecesOf(term: string): Piece[] {
  const characters = [...term.slice(0, 2 * MAX_CHARACTERS)]
    .slice(0, MAX_CHARACTERS)
    .map(character => caseVariants(character).filter(variant => variant === character || variant > '\x7f'))
  const pieces: Piece[] = []
  for (const most of [1, 2, 4, MAX_PATTERNS]) {
    for (let start = 0; start < characters.length; start++) {
      let end = start
      let patterns = 1
      let bytes = 0
      for (; end < characters.length; end++) {
        const variants = characters[end] as string[]
        if (patterns * variants.length > most) break
        patterns *= variants.length
        bytes += Buffer.byteLength(variants[0] as string)
      }
      if (end > start) pieces.push({ characters: characters.slice(start, end), patterns, bytes })
    }
  }
  return pieces
}

function isBetter(piece: Piece, other: Piece): boolean {
  const isSelective = piece.bytes >= SELECTIVE_BYTES
  if (isSelective !== other.bytes >= SELECTIVE_BYTES) return isSelective
  if (isSelective && piece.patterns !== other.patterns) return piece.patterns < other.patterns
  return piece.bytes > other.bytes
}

/** A text as it is inside a JSON string. */
export function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function inLike(text: string): string {
  return text.replaceAll(/[!%_]/g, `${LIKE_ESCAPE}$&`)
}
