import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openSqliteStore } from '../../../src/store/sqlite/store.js'
import { messageCreated } from '../../support/events.js'
import { testFolder } from '../../support/test-folder.js'

const NOON = 1_800_000_000_000_000

function open(t: Test, path: string) {
  return openSqliteStore({ path, clock: () => NOON, onFailure: error => t.fail(String(error)) })
}

t.test('events that were accepted before the store was closed are stored', async t => {
  const path = join(testFolder(t), 'events.db')
  const store = await open(t, path)
  const accepted = ['1', '2', '3'].map(key => store.events.record([messageCreated(key)]))
  const closed = store.close()
  await t.rejects(store.events.record([messageCreated('4')]), { code: 'store_closed' })
  t.same(
    (await Promise.all(accepted)).flat().map(outcome => outcome.created),
    [true, true, true],
  )
  await closed
  const again = await open(t, path)
  t.match(await again.events.stats(), { event_count: 3 })
  await again.close()
})

t.test('the head is known after a repeat', async t => {
  const path = join(testFolder(t), 'events.db')
  const store = await open(t, path)
  await store.events.record([messageCreated('1')])
  await store.close()
  const again = await open(t, path)
  await again.events.record([messageCreated('1')])
  t.match(await again.events.health(), { head: { capturedAt: NOON } })
  await again.close()
})

t.test('an event that cannot be serialised does not make another one fail', async t => {
  const store = await open(t, join(testFolder(t), 'events.db'))
  const good = store.events.record([messageCreated('1')])
  t.throws(() => store.events.record([messageCreated('2'), messageCreated('3', { payload: { n: 1n } })]))
  t.match(await good, [{ dedupeKey: '1', created: true }])
  t.match(await store.events.stats(), { event_count: 1 })
  await store.close()
})
