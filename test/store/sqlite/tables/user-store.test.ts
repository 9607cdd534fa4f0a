import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Engine } from '../../../../src/store/sqlite/engine.js'
import { openSqliteStore } from '../../../../src/store/sqlite/store.js'
import type { WriteTask } from '../../../../src/store/sqlite/thread/protocol.js'
import { packRows, toOpenBody } from '../../../../src/store/sqlite/write/packed-rows.js'
import type { StoredToken } from '../../../../src/store/user-store.js'
import { messageCreated } from '../../../support/events.js'
import { testFolder } from '../../../support/test-folder.js'
import { userNamed, userStoreConformance } from '../../user-store-conformance.js'

const NOON = 1_800_000_000_000_000

async function openAt(t: Test, path: string, clock = () => NOON) {
  const store = await openSqliteStore({ path, clock, onFailure: error => t.fail(String(error)) })
  t.teardown(() => store.close())
  return store
}

userStoreConformance(t, (t, clock) => openAt(t, join(testFolder(t), 'events.db'), clock))

t.test('users, tokens and that the ledger is closed outlive a restart', async t => {
  const path = join(testFolder(t), 'events.db')
  const ada = userNamed('ada')
  const token: StoredToken = {
    ...{ may: 'write', sources: ['ci'] },
    ...{ id: 'token', user_id: ada.id, digest: 'digest', prefix: 'tok_abcd' },
    ...{ created_at: ada.created_at, last_used_at: null },
  }
  const before = await openAt(t, path)
  await before.users.create(ada)
  await before.users.addToken(token, 20)
  await before.close()
  const { users } = await openAt(t, path)
  t.equal(await users.isClosed(), true)
  t.strictSame(await users.findByTokenDigest('digest'), { token, user: ada })
})

t.test('what shares a transaction with a refusal is stored', async t => {
  const engine = new Engine(join(testFolder(t), 'events.db'))
  t.teardown(() => engine.close())
  const ada = userNamed('ada', { role: 'admin' })
  const rule = { mayLoseLastAdmin: false }
  const record = (key: string): WriteTask => {
    const event = messageCreated(key)
    return { task: 'record', rows: packRows([event], [toOpenBody(event)]), now: NOON }
  }
  const results = engine.commit([
    { task: 'create_user', user: ada },
    record('chat:1'),
    { task: 'create_user', user: userNamed('ADA', { id: 'other' }) },
    { task: 'update_user', userId: ada.id, changes: { role: 'member', updated_at: ada.updated_at }, rule },
    { task: 'delete_user', userId: ada.id, rule },
    record('chat:2'),
  ])
  t.match(results, [true, { seenCounts: [1] }, false, 'last_admin', 'last_admin', { seenCounts: [1] }])
  t.ok(engine.read({ task: 'find_event', dedupeKey: 'chat:1', maxBytes: 1 }))
  t.ok(engine.read({ task: 'find_event', dedupeKey: 'chat:2', maxBytes: 1 }))
  t.strictSame(engine.read({ task: 'list_users' }), [{ ...ada, token_count: 0 }])
})
