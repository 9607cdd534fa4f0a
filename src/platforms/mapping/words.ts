import { canonicalOutcome } from '../../model/sentences/event-outcome.js'
import { toWord } from './identifiers.js'

/** Synonyms that platforms use for one action. Words not listed stay unchanged. */
const CANONICAL: ReadonlyMap<string, string> = new Map([
  ['opened', 'created'],
  ['open', 'created'],
  ['create', 'created'],
  ['award', 'added'],
  ['add', 'added'],
  ['revoke', 'removed'],
  ['revoked', 'removed'],
  ['remove', 'removed'],
  ['edited', 'updated'],
  ['edit', 'updated'],
  ['update', 'updated'],
  ['synchronize', 'updated'],
  ['synchronized', 'updated'],
  ['delete', 'deleted'],
  ['destroyed', 'deleted'],
  ['destroy', 'deleted'],
  ['trashed', 'deleted'],
  ['recovered', 'restored'],
  ['undeleted', 'restored'],
  ['close', 'closed'],
  ['reopen', 'reopened'],
  ['merge', 'merged'],
])

/**
 * The verb of an event kind, in the past tense, from a platform's own word for the action. An adapter maps the words
 * that have a special meaning on its platform (`published`, `started`).
 */
export function canonicalVerb(native: string): string {
  return CANONICAL.get(native) ?? native
}

/**
 * `action.outcome` from a platform's own word: `failure` → `failed`, `Changes Requested` → `changes_requested`.
 *
 * @returns undefined if the platform sends none
 */
export function toOutcome(native: string | undefined): string | undefined {
  const word = toWord(native)
  return word === undefined ? undefined : canonicalOutcome(word)
}
