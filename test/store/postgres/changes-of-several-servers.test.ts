import t from 'tap'
import { CONSUMER_LIMITS } from '../../../src/model/consumers/consumer.js'
import { Connection } from '../../../src/store/postgres/connection/connection.js'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { messageCreated } from '../../support/events.js'
import { TestCluster } from '../../support/postgres/cluster.js'
import { findPostgres } from '../../support/postgres/find-postgres.js'
import { storedSubscription } from '../../support/subscription.js'
import { until } from '../../support/until.js'
import { userNamed } from '../user-store-conformance.js'

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else {
  const cluster = await TestCluster.shared(t, programs)

  t.test('acknowledgements that wait for each other do not exceed the limit of dead letters together', async t => {
    const address = await cluster.emptyLedger(t)
    const store = await openPostgresStore({ address })
    t.teardown(() => store.close())
    const { consumers, events } = store
    const [recorded] = await events.record([messageCreated('1')])
    const now = recorded?.capturedAt as number
    const key = { name: 'mail' }
    await consumers.save({ ...key, owner_user_id: null, position: 'beginning' }, { most: 1, now })
    const lease = await consumers.lease(key, { now, until: now + 60_000_000 })
    const fence = lease.granted ? lease.consumer.fence : 0
    const most = CONSUMER_LIMITS.deadLetters
    await cluster.sql(`
      INSERT INTO ${address.schema}.dead_letters (consumer, captured_us, dedupe_key, error, attempts, failed_at)
      SELECT 'mail', number, 'chat:' || number, '', 1, 1 FROM generate_series(1, ${most - 1}) AS number`)

    const holder = await Connection.open(address, 'daybook test')
    await holder.script(`BEGIN; SELECT 1 FROM consumers WHERE name = 'mail' FOR UPDATE`)
    const letter = { dedupe_key: 'late', error: '', attempts: 1 }
    const acknowledged = Promise.allSettled(
      [most, most + 1].map(captured_at =>
        consumers.acknowledge(key, { fence, now, until: now, deadLetters: [{ ...letter, captured_at }] }),
      ),
    )
    const locking = async () => {
      const [row] = await cluster.sql(`
        SELECT count(DISTINCT pid)::integer AS count FROM pg_locks WHERE relation = '${address.schema}.consumers'::regclass`)
      return row?.count
    }
    await until(async () => (await locking()) === 3)
    await holder.script('ROLLBACK')
    await holder.close()
    const refused = (await acknowledged).filter(({ status }) => status === 'rejected')
    t.match(refused, [{ reason: { category: 'conflict', code: 'too_many_dead_letters' } }])
    t.equal(refused.length, 1)
    t.match(await consumers.find(key), { dead_letters: most })
  })

  t.test(
    'after the clock of the database was set back by hours, the lease of a lost server can be acquired',
    async t => {
      const address = await cluster.emptyLedger(t)
      const { multiServer, close } = await openPostgresStore({ address })
      t.teardown(close)
      await multiServer.acquireLease('watch', 300)
      t.equal(await multiServer.acquireLease('watch', 30), undefined)
      // As if it had been acquired three hours later.
      await cluster.sql(`UPDATE ${address.schema}.leases SET ends_at = ends_at + interval '3 hours'`)
      t.equal(await multiServer.isLeaseHeld('watch'), false)
      t.match(await multiServer.acquireLease('watch', 30), { fence: 2 })
      t.equal(await multiServer.isLeaseHeld('watch'), true)
    },
  )

  t.test('a failed login does not wait for an older one that another server is counting again', async t => {
    const address = await cluster.emptyLedger(t)
    const { multiServer, close } = await openPostgresStore({ address })
    const { loginFailures } = multiServer
    await loginFailures.add([{ key: 'older', windowMs: 1 }])
    const another = await Connection.open(address, 'daybook test')
    t.teardown(() => Promise.all([close(), another.close()]))
    await until(async () => (await loginFailures.read(['older']))[0] === undefined)
    await another.script('BEGIN; UPDATE login_failures SET failures = 1')
    await loginFailures.add([{ key: 'new', windowMs: 60_000 }])
    await another.script('ROLLBACK')
    await loginFailures.add([{ key: 'next', windowMs: 60_000 }])
    const [{ count } = {}] = await cluster.sql(
      `SELECT count(*)::integer AS count FROM ${address.schema}.login_failures`,
    )
    t.equal(count, 2, 'the older one was removed')
  })

  t.test('concurrent changes of users at several servers all succeed, also while roles change', async t => {
    const address = await cluster.emptyLedger(t)
    const stores = await Promise.all([openPostgresStore({ address }), openPostgresStore({ address })])
    t.teardown(() => Promise.all(stores.map(store => store.close())))
    const names = ['a', 'b', 'c', 'z']
    const [{ users }] = stores
    for (const name of names) await users.create(userNamed(name, name === 'z' ? { role: 'admin' } : {}))
    const changes = Array.from({ length: 200 }, (_, n) => {
      const role = n % 3 === 0 ? 'member' : 'admin'
      const changed = { role, updated_at: '2031-05-04T10:00:00.000000Z' } as const
      return stores[n % 2]?.users.update(`id-${names[(n * 5 + (n >> 2)) % 3]}`, changed, { mayLoseLastAdmin: false })
    })
    const failed = (await Promise.allSettled(changes)).filter(({ status }) => status === 'rejected')
    t.same(failed, [])
  })

  t.test('a subscription that a copy deletes and brings back is only a saved one for other servers', async t => {
    const { copies, multiServer, close } = await openPostgresStore({ address: await cluster.emptyLedger(t) })
    t.teardown(close)
    const subscriptions = [storedSubscription({ id: 'sub_1' })]
    for (const state of [{ subscriptions }, { subscriptions: [] }, { subscriptions }]) await copies.writeState(state)
    t.match(await multiServer.subscriptionChanges(0), { saved: [{ id: 'sub_1' }], deleted: [] })
    t.same((await multiServer.subscriptionChanges(0)).deleted, [])
    await copies.writeState({ subscriptions: [] })
    t.match(await multiServer.subscriptionChanges(0), { saved: [], deleted: ['sub_1'] })
  })

  t.test('a server that starts reads the subscriptions that there are, and not the deleted ones', async t => {
    const { subscriptions, multiServer, close } = await openPostgresStore({ address: await cluster.emptyLedger(t) })
    t.teardown(close)
    for (const id of ['sub_1', 'sub_2']) await subscriptions.save(storedSubscription({ id }))
    await subscriptions.delete('sub_1')
    const { version, saved, deleted } = await multiServer.subscriptionChanges(undefined)
    t.same({ version, saved: saved.map(({ id }) => id), deleted }, { version: 3, saved: ['sub_2'], deleted: [] })
    t.match(await multiServer.subscriptionChanges(0), { deleted: ['sub_1'] }, 'a server that has run since then')
  })
}
