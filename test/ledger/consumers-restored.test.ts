import { join } from 'node:path'
import t from 'tap'
import type { BatchRequest } from '../../src/ledger/consumers/read-attempt.js'
import { Ledger } from '../../src/ledger/ledger.js'
import { checkCopiedLedger, renewEpoch } from '../../src/store/sqlite/copy/copied-ledger.js'
import { openSqliteStore } from '../../src/store/sqlite/store.js'
import { messageCreated } from '../support/events.js'
import { testFolder } from '../support/test-folder.js'

const OPEN = { role: 'open' } as const
const CHANGED = { category: 'conflict', code: 'epoch_changed' }

t.test('a restored ledger delivers no event until the position is set, and misses none after that', async t => {
  const time = { now: 1_800_000_000_000_000 }
  const folder = testFolder(t)
  const open = async (path: string) => {
    const clock = () => time.now
    const store = await openSqliteStore({ path, clock, onFailure: error => t.fail(String(error)) })
    return { store, ledger: await Ledger.open({ store, clock, newSubscriptionId: () => 'sub_1' }) }
  }
  const request: BatchRequest = {
    waitSeconds: 0,
    leaseSeconds: 30,
    limit: 100,
    signal: new AbortController().signal,
    wrapRead: read => read,
  }
  const before = await open(join(folder, 'events.db'))
  await before.ledger.record([messageCreated('chat:1'), messageCreated('chat:2')])
  await before.ledger.consumers.save('mail', { position: 'beginning' }, OPEN)
  const { page, fence, checkpoint } = await before.ledger.consumers.nextBatch('mail', request, OPEN)
  t.equal(page.count, 2)
  const restored = join(folder, 'restored.db')
  await before.store.copyTo(restored)
  await before.store.close()
  checkCopiedLedger(restored)
  renewEpoch(restored, 1_900_000_000_000)

  const { store, ledger } = await open(restored)
  t.teardown(() => store.close())
  t.equal(store.restoredAt, 1_900_000_000_000)
  const { consumers } = ledger
  const late = { fence, checkpoint, leaseSeconds: 30, release: false }
  await t.rejects(consumers.acknowledge('mail', late, OPEN), CHANGED)
  await t.rejects(consumers.nextBatch('mail', request, OPEN), CHANGED)
  await t.rejects(consumers.nextBatch('mail', { ...request, fence }, OPEN), CHANGED)
  t.match(await consumers.get('mail', OPEN), { epoch_changed: true, lag: { events: 2 } })
  t.match(await consumers.seek('mail', 'same', OPEN), { epoch_changed: false })
  const again = await consumers.nextBatch('mail', request, OPEN)
  t.equal(again.page.count, 2)
  t.ok(again.fence > fence)
  await t.rejects(consumers.acknowledge('mail', late, OPEN), { code: 'lease_lost' })
})
