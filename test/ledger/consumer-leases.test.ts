import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { BatchRequest } from '../../src/ledger/consumers/read-attempt.js'
import { Ledger } from '../../src/ledger/ledger.js'
import { toTimestamp } from '../../src/model/timestamp.js'
import { openSqliteStore } from '../../src/store/sqlite/store.js'
import { messageCreated } from '../support/events.js'
import { testFolder } from '../support/test-folder.js'
import { until } from '../support/until.js'

const OPEN = { role: 'open' } as const
const NOW = 1_800_000_000_000_000
const LEASE_SECONDS = 15
const REQUEST: BatchRequest = {
  waitSeconds: 50,
  leaseSeconds: LEASE_SECONDS,
  limit: 100,
  signal: new AbortController().signal,
  wrapRead: read => read,
}

/** Two servers of one ledger. */
async function openLedgers(t: Test) {
  const clock = () => NOW
  const onFailure = (error: unknown) => t.fail(String(error))
  const store = await openSqliteStore({ path: join(testFolder(t), 'events.db'), clock, onFailure })
  t.teardown(() => store.close())
  const open = () => Ledger.open({ store, clock, newSubscriptionId: () => 'sub_1' })
  return [await open(), await open(), store] as const
}

t.test('a server that ends before it delivers events delays other instances by one lease', async t => {
  const [ledger] = await openLedgers(t)
  const { consumers } = ledger
  await ledger.record([messageCreated('chat:1')])
  await consumers.save('mail', { position: 'beginning' }, OPEN)
  let reads = false
  const wrapRead = () => () => {
    reads = true
    return new Promise<never>(() => {}) // its process ends here
  }
  void consumers.nextBatch('mail', { ...REQUEST, wrapRead }, OPEN)
  await until(() => reads)
  t.match(await consumers.get('mail', OPEN), { leased_until: toTimestamp(NOW + LEASE_SECONDS * 1_000_000) })
})

t.test('a read that fails leaves no lease, whose number its instance would not know', async t => {
  const [one, two] = await openLedgers(t)
  await one.record([messageCreated('chat:1')])
  await one.consumers.save('mail', { position: 'beginning' }, OPEN)
  const wrapRead = () => () => Promise.reject(new Error('The database did not answer.'))
  const failing = { ...REQUEST, leaseSeconds: 600, wrapRead }
  await t.rejects(one.consumers.nextBatch('mail', failing, OPEN), { message: 'The database did not answer.' })
  const { fence, page } = await two.consumers.nextBatch('mail', { ...REQUEST, waitSeconds: 0 }, OPEN)
  t.equal(page.count, 1)
  await t.rejects(two.consumers.nextBatch('mail', { ...failing, fence }, OPEN), { message: /did not answer/ })
  await two.consumers.acknowledge('mail', { fence, leaseSeconds: 600, release: true }, OPEN)
})

for (const where of ['here', 'at another server'] as const) {
  t.test(`a read that waits does not keep a lease that its instance has released ${where}`, async t => {
    const [one, two] = await openLedgers(t)
    const { consumers } = where === 'here' ? one : two
    await one.consumers.save('mail', { position: 'now' }, OPEN)
    const { fence } = await one.consumers.nextBatch('mail', { ...REQUEST, waitSeconds: 0 }, OPEN)
    const left = t.rejects(one.consumers.nextBatch('mail', { ...REQUEST, fence }, OPEN), { code: 'lease_lost' })
    const waits = toTimestamp(NOW + 2 * LEASE_SECONDS * 1_000_000)
    await until(async () => ((await one.consumers.get('mail', OPEN)).leased_until ?? '') > waits)
    await consumers.acknowledge('mail', { fence, leaseSeconds: LEASE_SECONDS, release: true }, OPEN)
    await one.record([messageCreated('chat:1')])
    await left
    t.match(await two.consumers.nextBatch('mail', REQUEST, OPEN), { page: { count: 1 } })
  })
}

t.test('a standby instance takes over a lease that another server releases early', async t => {
  const [one, two, store] = await openLedgers(t)
  await one.record([messageCreated('chat:1')])
  await one.consumers.save('mail', { position: 'beginning' }, OPEN)
  const hours = { waitSeconds: 3_600, leaseSeconds: 3_000 }
  const { fence } = await one.consumers.nextBatch('mail', { ...REQUEST, ...hours }, OPEN)
  let isRefused = false
  const lease = store.consumers.lease.bind(store.consumers)
  store.consumers.lease = async (key, request) => {
    const answer = await lease(key, request)
    isRefused ||= !answer.granted
    return answer
  }
  const standby = two.consumers.nextBatch('mail', { ...REQUEST, ...hours }, OPEN)
  await until(() => isRefused)
  await one.consumers.acknowledge('mail', { fence, leaseSeconds: LEASE_SECONDS, release: true }, OPEN)
  const batch = await standby
  t.ok(batch.fence > fence)
  t.equal(batch.page.count, 1)
})

t.test('an instance that connects again before its broken request ends keeps its lease', async t => {
  const [ledger] = await openLedgers(t)
  const { consumers } = ledger
  await consumers.save('mail', { position: 'now' }, OPEN)
  const { fence } = await consumers.nextBatch('mail', { ...REQUEST, waitSeconds: 0 }, OPEN)
  const broken = new AbortController()
  const first = consumers.nextBatch('mail', { ...REQUEST, fence, signal: broken.signal }, OPEN)
  const second = consumers.nextBatch('mail', { ...REQUEST, fence }, OPEN)
  const waits = toTimestamp(NOW + 2 * LEASE_SECONDS * 1_000_000)
  await until(async () => ((await consumers.get('mail', OPEN)).leased_until ?? '') > waits)
  broken.abort()
  await first
  await consumers.release('mail', fence, OPEN)
  await ledger.record([messageCreated('chat:1')])
  t.match(await second, { fence, page: { count: 1 } })
})
