import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { checkCopiedLedger } from '../../../../src/store/sqlite/copy/copied-ledger.js'
import { openSqliteStore } from '../../../../src/store/sqlite/store.js'
import { messageCreated } from '../../../support/events.js'
import { testFolder } from '../../../support/test-folder.js'

const LARGE = 'x'.repeat(200_000)

/** A ledger of some megabytes. */
async function open(t: Test) {
  const folder = testFolder(t)
  let now = 1_800_000_000_000_000
  const path = join(folder, 'events.db')
  const store = await openSqliteStore({ path, clock: () => ++now, onFailure: error => t.fail(`${error}`) })
  const record = (...keys: string[]) =>
    store.events.record(keys.map(key => messageCreated(key, { payload: { text: LARGE } })))
  await record(...Array.from({ length: 50 }, (_, at) => `before ${at}`))
  return { folder, store, record }
}

t.test('a copy has the events that were recorded when it began, and none that are recorded during it', async t => {
  const { folder, store, record } = await open(t)
  t.teardown(() => store.close())
  let isDone = false
  const copies = ['a', 'b'].map(name => store.copyTo(join(folder, `${name}.copy`)))
  const both = Promise.all(copies).finally(() => {
    isDone = true
  })
  let late = 0
  // Commits as large as these usually end with a WAL checkpoint, which writes to the file that is copied.
  while (!isDone) await record(...Array.from({ length: 30 }, () => `late ${late++}`))
  await both
  t.ok(late > 0)
  for (const name of ['a', 'b']) {
    const { events } = checkCopiedLedger(join(folder, `${name}.copy`))
    t.ok(events >= 50 && events <= 50 + late && events % 10 === 0, `${events} events`)
  }
  t.match(await store.events.stats(), { event_count: 50 + late })
})

t.test('a copy that is interrupted by the end of the ledger or by its caller leaves no file', async t => {
  const { folder, store } = await open(t)
  const files = () => readdirSync(folder).filter(name => name.includes('.copy'))
  const stop = new AbortController()
  const stopped = store.copyTo(join(folder, 'a.copy'), stop.signal)
  stop.abort()
  await t.rejects(stopped, { name: 'AbortError' })
  t.same(files(), [])
  const broken = store.copyTo(join(folder, 'b.copy'))
  await store.close()
  await t.rejects(broken, { code: 'store_closed' })
  t.same(files(), [])
})
