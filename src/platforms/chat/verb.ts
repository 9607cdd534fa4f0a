import { toWord } from '../identity.js'
import { canonicalVerb } from '../verbs.js'
import type { NativeEvent } from './chat-event.js'

/** Words specific to this platform. */
const OWN: ReadonlyMap<string, string> = new Map([
  ['add_members', 'members_added'],
  ['remove_members', 'members_removed'],
  ['add_subgroups', 'subgroups_added'],
  ['remove_subgroups', 'subgroups_removed'],
  ['occupy', 'occupied'],
  ['vacate', 'vacated'],
  ['peer_add', 'peer_added'],
  ['peer_remove', 'peer_removed'],
  ['update_dict', 'updated'],
  ['update_one', 'updated'],
  ['change', 'changed'],
  ['reorder', 'reordered'],
])

/** The verb of an event from its operation; `received` if there is none, which claims nothing. */
export function verbOf({ action }: NativeEvent): string {
  const word = toWord(action) ?? 'received'
  return OWN.get(word) ?? canonicalVerb(word)
}
