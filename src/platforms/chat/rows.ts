import { kindsOf } from '../named-kinds.js'
import type { ChatEvent, Mapped } from './chat-event.js'
import { mapDeleteMessage } from './delete-message.js'
import { mapGeneric } from './generic.js'
import { mapMessage } from './message.js'
import { mapReaction } from './reaction.js'
import { mapUpdateMessage } from './update-message.js'

/** What is made of one native event. */
export interface Row {
  /** The kinds that it produces from the operations that are documented; others give `<object>.<native word>`. */
  kinds: readonly string[]
  /** @returns one or more events, none where there is nothing to keep */
  map(event: ChatEvent): Mapped[]
}

/** What carries nothing to keep: signs of life, and what only concerns the receiver's own view. */
const IGNORED = [
  'heartbeat',
  'presence',
  'typing',
  'typing_edit_message',
  'update_message_flags',
  'user_settings',
  'update_display_settings',
  'update_global_notifications',
] as const

/** The native events that are understood one by one, by their type. */
export const ROWS: ReadonlyMap<string, Row> = new Map<string, Row>([
  [
    'message',
    {
      kinds: ['message.created'],
      map: event => (event.message ? [mapMessage(event, event.message)] : mapGeneric(event)),
    },
  ],
  ['update_message', { kinds: kindsOf('message', ['updated', 'moved']), map: mapUpdateMessage }],
  ['delete_message', { kinds: ['message.deleted'], map: mapDeleteMessage }],
  ['reaction', { kinds: kindsOf('reaction', ['added', 'removed']), map: mapReaction }],
  ['stream', { kinds: kindsOf('stream', ['created', 'updated', 'deleted']), map: mapGeneric }],
  [
    'subscription',
    {
      kinds: kindsOf('subscription', ['added', 'updated', 'removed', 'peer_added', 'peer_removed']),
      map: mapGeneric,
    },
  ],
  ['realm', { kinds: kindsOf('realm', ['updated', 'deactivated']), map: mapGeneric }],
  ['realm_user', { kinds: kindsOf('realm_user', ['added', 'updated', 'removed']), map: mapGeneric }],
  ['realm_bot', { kinds: kindsOf('realm_bot', ['added', 'updated', 'removed', 'deleted']), map: mapGeneric }],
  ...IGNORED.map((type): [string, Row] => [type, { kinds: [], map: () => [] }]),
])
