import { canonicalOutcome } from '../model/sentences/event-outcome.js'
import { toWord } from './identity.js'

/**
 * `action.outcome` from a platform's own word: `failure` → `failed`, `Changes Requested` → `changes_requested`.
 *
 * @returns undefined if the platform sends none
 */
export function toOutcome(native: string | undefined): string | undefined {
  const word = toWord(native)
  return word === undefined ? undefined : canonicalOutcome(word)
}
