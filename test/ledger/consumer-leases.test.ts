import { join } from 'node:path'
import t from 'tap'
import type { BatchRequest } from '../../src/ledger/consumers/read-attempt.js'
import { Ledger } from '../../src/ledger/ledger.js'
import { toTimestamp } from '../../src/model/timestamp.js'
import { openSqliteStore } from '../../src/store/sqlite/store.js'
import { messageCreated } from '../support/events.js'
import { testFolder } from '../support/test-folder.js'

const OPEN = { role: 'open' } as const
const NOW = 1_800_000_000_000_000
const LEASE_SECONDS = 15

t.test('a server that ends before it answers an instance with events holds the others up for one lease', async t => {
  const clock = () => NOW
  const onFailure = (error: unknown) => t.fail(String(error))
  const store = await openSqliteStore({ path: join(testFolder(t), 'events.db'), clock, onFailure })
  t.teardown(() => store.close())
  const ledger = await Ledger.open({ store, clock, newSubscriptionId: () => 'sub_1' })
  const { consumers } = ledger
  await ledger.record([messageCreated('chat:1')])
  await consumers.save('mail', { position: 'beginning' }, OPEN)
  const request: BatchRequest = {
    waitSeconds: 50,
    leaseSeconds: LEASE_SECONDS,
    limit: 100,
    signal: new AbortController().signal,
    wrapRead: () => () => Promise.reject(new Error('It ends here.')),
  }
  await t.rejects(consumers.nextBatch('mail', request, OPEN), { message: 'It ends here.' })
  t.match(await consumers.get('mail', OPEN), { leased_until: toTimestamp(NOW + LEASE_SECONDS * 1_000_000) })
})
