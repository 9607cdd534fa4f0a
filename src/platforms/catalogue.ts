import type { PlatformSource } from '../model/platforms/platform-source.js'

/** What a source can send and how its scopes are named; served by `GET /api/platforms`. */
export interface PlatformCatalogue<Source extends string = PlatformSource> {
  source: Source
  display_name: string
  webhook_path: string
  /** How a delivery proves its origin, as a sentence. */
  verification: string
  /** Every kind that the adapter produces by name; `"*"` if it also records other events generically. */
  kinds: string[]
  actions: { kind: string; object_type: string; verb: string }[]
  scope_types: string[]
  /** The forms of a subscription's `target`, with an example each. */
  target_grammar: { form: string; example: string }[]
  capture_modes: string[]
}

/**
 * The kinds and actions of a catalogue, from the kinds that an adapter's mappings produce. `"*"` stands for all events that
 * are recorded generically.
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
