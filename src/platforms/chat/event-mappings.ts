import { kindsOf } from '../catalogue.js'
import type { ChatEvent, Mapped } from './chat-event.js'
import { mapGeneric } from './generic.js'
import { mapDeleteMessage } from './messages/delete-message.js'
import { mapMessage } from './messages/message.js'
import { mapReaction } from './messages/reaction.js'
import { mapUpdateMessage } from './messages/update-message.js'

/** Maps one type of native event. */
interface EventMapping {
  /** The kinds produced from documented operations; others yield `<object>.<native word>`. */
  kinds: readonly string[]
  /** @returns one or more events, or none if there is nothing to record */
  map(event: ChatEvent): Mapped[]
}

/** Types with nothing to record: state that only the receiver sees or has set, and messages to clients, such as heartbeats. */
const IGNORED = [
  'heartbeat',
  'presence',
  'typing',
  'typing_edit_message',
  'update_message_flags',
  'user_settings',
  'update_display_settings',
  'update_global_notifications',
  'alert_words',
  'attachment',
  'device',
  'drafts',
  'has_zoom_token',
  'hotspots',
  'muted_topics',
  'muted_users',
  'navigation_view',
  'onboarding_steps',
  'push_device',
  'reminders',
  'restart',
  'saved_snippets',
  'scheduled_messages',
  'user_topic',
  'web_reload_client',
] as const

/** Individually mapped native events, by type. */
export const MAPPINGS: ReadonlyMap<string, EventMapping> = new Map<string, EventMapping>([
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
  [
    'user_group',
    {
      kinds: kindsOf('user_group', [
        ...['added', 'updated', 'removed', 'members_added', 'members_removed', 'subgroups_added', 'subgroups_removed'],
      ]),
      map: mapGeneric,
    },
  ],
  ['realm', { kinds: kindsOf('realm', ['updated', 'deactivated']), map: mapGeneric }],
  ['realm_user', { kinds: kindsOf('realm_user', ['added', 'updated', 'removed']), map: mapGeneric }],
  ['realm_bot', { kinds: kindsOf('realm_bot', ['added', 'updated', 'removed', 'deleted']), map: mapGeneric }],
  ...IGNORED.map((type): [string, EventMapping] => [type, { kinds: [], map: () => [] }]),
])
