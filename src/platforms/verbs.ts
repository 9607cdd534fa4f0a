/** Synonyms that the platforms use for one thing that happened. Words that are not listed stand for themselves. */
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
 * The verb of an event kind, in the past tense, from a platform's own word for the action. Words with a meaning of
 * their own on one platform (`published`, `started`) are that adapter's to fold.
 */
export function canonicalVerb(native: string): string {
  return CANONICAL.get(native) ?? native
}
