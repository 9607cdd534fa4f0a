import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Engine } from '../../../../src/store/sqlite/engine.js'
import { openSqliteStore } from '../../../../src/store/sqlite/store.js'
import { encodeWithoutInstants, packEvents } from '../../../../src/store/sqlite/write/packed-events.js'
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

t.test('users, tokens and the closed state survive a restart', async t => {
  const path = join(testFolder(t), 'events.db')
  const ada = userNamed('ada')
  const token: StoredToken = {
    may: 'write',
    sources: ['ci'],
    name: 'build',
    expires_at: ada.created_at,
    id: 'token',
    user_id: ada.id,
    digest: 'digest',
    prefix: 'tok_abcd',
    created_at: ada.created_at,
    last_used_at: null,
  }
  const before = await openAt(t, path)
  await before.users.create(ada)
  await before.users.addToken(token, 20)
  await before.close()
  const { users } = await openAt(t, path)
  t.equal(await users.isClosed(), true)
  t.strictSame(await users.findByTokenDigest('digest'), { token, user: ada })
})

t.test('writes that share a transaction with refused ones are stored', async t => {
  const engine = new Engine(join(testFolder(t), 'events.db'))
  t.teardown(() => engine.close())
  const ada = userNamed('ada', { role: 'admin' })
  const rule = { mayLoseLastAdmin: false }
  const record = (key: string) => {
    const event = messageCreated(key)
    return { task: 'events.record', args: [packEvents([event], [encodeWithoutInstants(event)]), NOON] }
  }
  const results = engine.commit([
    { task: 'users.create', args: [ada] },
    record('chat:1'),
    { task: 'users.create', args: [userNamed('ADA', { id: 'other' })] },
    { task: 'users.update', args: [ada.id, { role: 'member', updated_at: ada.updated_at }, rule] },
    { task: 'users.delete', args: [ada.id, rule] },
    record('chat:2'),
  ])
  const [taken, lastAdmin] = [{ code: 'username_taken' }, { code: 'last_admin' }]
  t.match(results, [undefined, { seenCounts: [1] }, taken, lastAdmin, lastAdmin, { seenCounts: [1] }])
  const { events, users } = engine.tasks
  t.ok(events.findByDedupeKey.run('chat:1', 1))
  t.ok(events.findByDedupeKey.run('chat:2', 1))
  t.strictSame(users.list.run(), [{ ...ada, token_count: 0 }])
})
