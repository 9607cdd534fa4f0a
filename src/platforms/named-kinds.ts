import type { PlatformCatalogue } from './adapter.js'

/**
 * The kinds and actions of a catalogue, from the kinds that an adapter's rows produce. `"*"` stands for everything
 * recorded generically.
 *
 * @param kinds `<object type>.<verb>`, in any order, repeats allowed
 */
export function namedKinds(kinds: readonly string[]): Pick<PlatformCatalogue, 'kinds' | 'actions'> {
  const named = [...new Set(kinds)].sort()
  return { kinds: [...named, '*'], actions: named.map(toAction) }
}

function toAction(kind: string): PlatformCatalogue['actions'][number] {
  const [objectType = '', verb = ''] = kind.split('.')
  return { kind, object_type: objectType, verb }
}

/** `<object type>.<verb>` for each verb. */
export function kindsOf(objectType: string, verbs: readonly string[]): string[] {
  return verbs.map(verb => `${objectType}.${verb}`)
}
