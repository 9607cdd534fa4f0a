import type { SearchTerm } from '../../model/events/search.js'

/** What is searched through between two yields, so that thousands of terms do not keep writes waiting. */
export const SLICE_CHARACTERS = 1_000_000
/** What one comparison costs, however short the text is. */
const COMPARISON_CHARACTERS = 50

/**
 * Looks for terms in texts, in slices: whenever it yields, other work may go on.
 *
 * @param texts folded; `undefined` where finding the next one takes a while
 * @returns the terms that occur in none of them
 */
export function* missingIn(
  texts: Iterable<string | undefined>,
  terms: readonly SearchTerm[],
): Generator<void, readonly SearchTerm[]> {
  let missing = terms
  let searched = 0
  for (const text of texts) {
    if (missing.length === 0) break
    if (text === undefined) {
      yield
      continue
    }
    const absent: SearchTerm[] = []
    for (const term of missing) {
      if (!text.includes(term)) absent.push(term)
      searched += text.length + COMPARISON_CHARACTERS
      if (searched < SLICE_CHARACTERS) continue
      searched = 0
      yield
    }
    missing = absent
  }
  return missing
}
