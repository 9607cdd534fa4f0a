import { caseVariants } from '../../../model/events/search.js'

const MAX_PATTERNS = 9
const MAX_CHARACTERS = 32
/** Escapes inside LIKE. Not the backslash: JSON text is full of them. */
export const LIKE_ESCAPE = '!'

/**
 * LIKE patterns: every stored body that contains all of these folded terms matches at least one. They narrow a search; they
 * do not decide.
 *
 * LIKE ignores the case of ASCII letters only, so any other spelling of a character is a separate pattern; a term is cut
 * if there would be too many. JSON text spells a character in one way only.
 *
 * @param terms at least one
 * @returns 1 to 9 patterns
 */
export function bodyPatterns(terms: readonly string[]): string[] {
  const pieces = terms.map(firstPiece)
  const longest = pieces.reduce((best, piece) => (piece.characters > best.characters ? piece : best))
  return longest.spellings.map(spelling => `%${spelling}%`)
}

interface Piece {
  characters: number
  spellings: string[]
}

function firstPiece(term: string): Piece {
  let piece: Piece = { characters: 0, spellings: [''] }
  for (const character of term) {
    const variants = caseVariants(character).filter(variant => variant === character || variant > '\x7f')
    if (piece.spellings.length * variants.length > MAX_PATTERNS || piece.characters === MAX_CHARACTERS) break
    piece = {
      characters: piece.characters + 1,
      spellings: piece.spellings.flatMap(begun => variants.map(variant => begun + inLike(inJson(variant)))),
    }
  }
  return piece
}

/** A text as it is inside a JSON string. */
export function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function inLike(text: string): string {
  return text.replaceAll(/[!%_]/g, `${LIKE_ESCAPE}$&`)
}
