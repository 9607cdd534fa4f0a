import t from 'tap'
import { chat } from '../../../src/platforms/chat/adapter.js'
import { message, normalise, readFixtures, type Sent } from './support.js'

/** The operations that the platform documents for the events that are understood one by one. */
const DOCUMENTED: Record<string, string[]> = {
  reaction: ['add', 'remove'],
  stream: ['create', 'update', 'delete'],
  subscription: ['add', 'update', 'remove', 'peer_add', 'peer_remove'],
  user_group: ['add', 'update', 'remove', 'add_members', 'remove_members', 'add_subgroups', 'remove_subgroups'],
  realm: ['update', 'update_dict', 'deactivated'],
  realm_user: ['add', 'update', 'remove'],
  realm_bot: ['add', 'update', 'remove', 'delete'],
}

t.test('the catalogue has exactly the kinds that the adapter names', async t => {
  const { kinds } = chat.catalogue
  const made = new Set<string>()
  const check = (sent: Sent) => {
    for (const { kind } of normalise(sent).events) {
      made.add(kind)
      t.ok(kinds.includes(kind), kind)
    }
  }
  for (const [type, operations] of Object.entries(DOCUMENTED))
    for (const op of operations) check({ body: { type, op } })
  check({ body: message() })
  for (const fixture of readFixtures()) if (!fixture.name.startsWith('generic-')) check(fixture)
  t.strictSame([...made, '*'].sort(), [...kinds].sort())
})

t.test('the catalogue lists the capture modes of messages', async t => {
  t.match(chat.catalogue, {
    source: 'chat',
    webhook_path: '/webhooks/chat',
    scope_types: ['stream', 'topic'],
    capture_modes: ['webhook', 'api_cursor', 'poll'],
  })
})
