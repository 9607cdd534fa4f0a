import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Ledger } from '../../src/ledger/ledger.js'
import type { NewEvent, Provenance } from '../../src/model/events/event.js'
import { chat } from '../../src/platforms/chat/adapter.js'
import { openSqliteStore } from '../../src/store/sqlite/store.js'
import { testFolder } from '../support/test-folder.js'

const NOON = 1_800_000_000_000_000
const SITE = 'https://chat.example.org:8443'
const VERIFIED: Provenance = { route: 'webhook', verified: 'token' }
const UNVERIFIED: Provenance = { route: 'webhook', verified: 'none' }

function eventOf(body: Record<string, unknown>, site = SITE): NewEvent {
  const { events } = chat.normalise({ headers: {}, body: Buffer.from(JSON.stringify(body)) }, { site })
  const [event] = events
  if (!event) throw new Error('no event')
  return event
}

const said = (id: number, sender_email = 'ada@lovelace.example') =>
  eventOf({ id, type: 'stream', content: 'tea?', sender_id: 17, sender_full_name: 'Ada Lovelace', sender_email })
const edited = (id: number, site?: string) =>
  eventOf({ type: 'update_message', message_id: id, user_id: 17, edit_timestamp: 1, content: 'tea!', id: 1 }, site)
const joined = (id: number) => eventOf({ type: 'user_group', op: 'add_members', group_id: 5, user_ids: [17], id })

async function openLedger(t: Test) {
  const onFailure = (error: unknown) => t.fail(String(error))
  const store = await openSqliteStore({ path: join(testFolder(t), 'events.db'), clock: () => NOON, onFailure })
  t.teardown(() => store.close())
  const open = () => Ledger.open({ store, clock: () => NOON, newSubscriptionId: () => 'sub_1' })
  return { ledger: await open(), open }
}

async function stored(ledger: Ledger, event: NewEvent, provenance = VERIFIED): Promise<NewEvent> {
  await ledger.record([{ event, provenance }])
  return JSON.parse(Buffer.from(await ledger.getEvent(event.dedupe_key)).toString('utf8')) as NewEvent
}

t.test('a person with only an id gets the name from an earlier event', async t => {
  const { ledger } = await openLedger(t)
  t.match(await stored(ledger, edited(1)), { actor: { id: '17', display: '' } })
  await stored(ledger, said(2))
  t.match(await stored(ledger, edited(2)), {
    actor: { id: '17', display: 'Ada Lovelace' },
    payload: { sender_id: 17, sender_full_name: 'Ada Lovelace', sender_is_bot: null },
  })
  t.match((await stored(ledger, joined(3))).action.metadata, { concerned: { id: '17', display: 'Ada Lovelace' } })
  t.match(await stored(ledger, edited(4, 'https://chat.example.org')), { actor: { display: '' } }, 'not elsewhere')
})

t.test('a known bot is marked as a bot if a delivery does not mark it', async t => {
  const { ledger, open } = await openLedger(t)
  await stored(ledger, said(1, 'ada-bot@chat.example.org'))
  const program = { actor_role: 'bot', payload: { sender_is_bot: true } }
  t.match(await stored(ledger, edited(2)), program)
  t.match(await stored(await open(), edited(3)), program, 'also after a restart')
})

t.test('unverified events give no names to verified events', async t => {
  const { ledger, open } = await openLedger(t)
  await stored(ledger, said(1), UNVERIFIED)
  t.match(await stored(ledger, edited(2), UNVERIFIED), { actor: { display: 'Ada Lovelace' } })
  t.match(await stored(ledger, edited(3)), { actor: { display: '' } })
  t.match(await stored(await open(), edited(4)), { actor: { display: '' } }, 'also after a restart')
  t.match(await stored(ledger, edited(5), { route: 'api', verified: 'none' }), { actor: { display: '' } })
})
