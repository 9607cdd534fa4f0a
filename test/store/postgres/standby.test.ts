import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { checkReplica } from '../../../src/runtime/doctor/postgres.js'
import { Connection } from '../../../src/store/postgres/connection/connection.js'
import { Pool } from '../../../src/store/postgres/connection/pool.js'
import { ReadReplica } from '../../../src/store/postgres/read/read-replica.js'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { keysOf, messageCreated } from '../../support/events.js'
import { TestCluster } from '../../support/postgres/cluster.js'
import { findPostgres } from '../../support/postgres/find-postgres.js'
import { checkAll, keepWriting, roundsOf } from '../../support/postgres/keep-writing.js'
import { networkTo } from '../../support/postgres/network.js'
import { until } from '../../support/until.js'

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else {
  const primary = await TestCluster.start(t, programs)
  const standby = await TestCluster.standbyOf(t, primary)
  const newest = { order: 'desc', limit: 10 } as const

  t.test(
    'newest pages and counts are read from a lagging replica, and pages after a checkpoint from the primary',
    async t => {
      const address = primary.newAddress()
      const replica = { ...address, hosts: [{ host: standby.folder, port: standby.port }] }
      const store = await openPostgresStore({ address, replica })
      await store.events.record([messageCreated('1')])
      const lag = async () => (await store.events.health()).replica
      await until(async () => (await lag())?.lagEvents === 0)
      t.same(await lag(), { lagEvents: 0, lagSeconds: 0 })
      t.same(keysOf(await store.events.query(newest)), ['1'])

      await standby.sql('SELECT pg_wal_replay_pause()')
      const pauseState = async () => (await standby.sql('SELECT pg_get_wal_replay_pause_state() AS state'))[0]?.state
      await until(async () => (await pauseState()) === 'paused')
      await store.events.record([messageCreated('2'), messageCreated('3')])
      t.match(await lag(), { lagEvents: 2, lagSeconds: Number })
      t.same(keysOf(await store.events.query(newest)), ['1'], 'a page without a checkpoint is late')
      t.match(await store.events.histogram({ buckets: 1, now: Date.now() * 1_000 }), { count: 1 })
      t.match(await store.events.histogram({ buckets: 1, since: 0, now: Date.now() * 1_000 }), { count: 3 })
      t.match(await store.events.facets({ now: Date.now() * 1_000 }), { count: 1 })
      t.same(keysOf(await store.events.query({ order: 'asc', limit: 10, since: 0 })), ['1', '2', '3'])
      t.same(keysOf(await store.events.query({ ...newest, since: 0 })), ['3', '2', '1'])
      await standby.sql('SELECT pg_wal_replay_resume()')
      await until(async () => (await lag())?.lagEvents === 0)
      t.same(keysOf(await store.events.query(newest)), ['3', '2', '1'])

      await standby.stop('SIGINT')
      t.same(keysOf(await store.events.query(newest)), ['3', '2', '1'], 'without the replica, the primary is read')
      t.match(await lag(), { problem: { code: 'store_failed' } })
      await store.close()
      await standby.launch()
    },
  )

  t.test('a replica of another ledger is not read', async t => {
    const address = primary.newAddress()
    const other = primary.newAddress()
    await (await openPostgresStore({ address: other })).close()
    const hosts = [{ host: standby.folder, port: standby.port }]
    const store = await openPostgresStore({ address, replica: { ...other, hosts } })
    await store.events.record([messageCreated('1')])
    t.same(keysOf(await store.events.query(newest)), ['1'])
    t.match((await store.events.health()).replica, { problem: { message: /not a replica of this ledger/ } })
    t.match(await checkReplica({ ...other, hosts }, address), [
      { state: 'warn', detail: /has another ledger, or none/ },
    ])
    await store.close()
  })

  t.test('a copy of the ledger that accepts writes is not read as a replica: it may have other events', async t => {
    const address = primary.newAddress()
    const store = await openPostgresStore({ address, replica: { ...address, hosts: [...address.hosts] } })
    await store.events.record([messageCreated('1')])
    t.same(keysOf(await store.events.query(newest)), ['1'])
    t.match((await store.events.health()).replica, { problem: { message: /is not a standby/ } })
    t.match(await checkReplica(address, address), [{ state: 'warn', detail: /is not a standby/ }])
    const meta = `SELECT FROM pg_class WHERE oid = to_regclass('${address.schema}.meta')`
    await until(async () => (await standby.sql(meta)).length > 0)
    const replica = { ...address, hosts: [{ host: standby.folder, port: standby.port }] }
    t.match(await checkReplica(replica, address), [{ state: 'ok', detail: /can be read/ }])
    await store.close()
  })

  t.test('neither a search that takes too long nor too many of them end reading from the replica', async t => {
    const address = primary.newAddress()
    await (await openPostgresStore({ address })).close()
    const pool = new Pool(address, 'primary')
    const hosts = [{ host: standby.folder, port: standby.port }]
    const replica = new ReadReplica({ ...address, hosts, poolSize: 1, timeoutSeconds: 1 }, pool)
    await until(async () => (await replica.health()).problem === undefined)
    const reader = async () => {
      const [row] = await replica.use(connection =>
        connection.run(`SELECT current_setting('application_name') AS name`),
      )
      return row?.name
    }
    t.equal(await reader(), 'daybook reading')
    const busy = { category: 'unavailable', code: 'busy' }
    await t.rejects(
      replica.use(connection => connection.run('SELECT pg_sleep(3)')),
      busy,
    )
    t.equal(await reader(), 'daybook reading')
    const gone = new AbortController()
    setMaxListeners(0, gone.signal)
    const most = Array.from({ length: 10_001 }, () =>
      replica.use(connection => connection.run('SELECT pg_sleep(0.5)'), gone.signal).catch(() => undefined),
    )
    await t.rejects(reader(), busy)
    gone.abort()
    await Promise.all(most)
    t.equal(await reader(), 'daybook reading')
    await Promise.all([replica.close(), pool.close()])
  })

  t.test('a hanging replica delays neither health nor newest pages after its detection', async t => {
    const network = await networkTo(t, standby)
    const address = primary.newAddress()
    const replica = { ...address, hosts: [{ host: network.host, port: standby.port }] }
    const store = await openPostgresStore({ address, replica })
    await store.events.record([messageCreated('1')])
    const health = async () => (await store.events.health()).replica
    await until(async () => (await health())?.lagEvents === 0)
    network.hang()
    await until(async () => (await health())?.problem !== undefined)
    // A server that connects to the replica again fails later than this.
    const connecting = Connection.open(replica, 'waiting').then(
      () => 'connected',
      () => 'failed',
    )
    const answers = Promise.all([health(), store.events.query(newest)])
    t.not(await Promise.race([connecting, answers]), 'failed')
    const [known, page] = await answers
    t.match(known, { problem: { code: 'store_failed' } })
    t.same(keysOf(page), ['1'])
    network.heal()
    await until(async () => (await health())?.lagEvents === 0)
    await store.close()
  })

  t.test(
    'servers continue after a synchronous replica takes over under load, and no acknowledged event is lost',
    async t => {
      let [current, next] = [primary, standby]
      for (let round = 0; round < roundsOf(1); round++) {
        if (round > 0) [current, next] = [next, await TestCluster.standbyOf(t, next)]
        await takeOver(t, current, next)
      }
    },
  )
}

async function takeOver(t: Test, primary: TestCluster, standby: TestCluster): Promise<void> {
  await primary.sql(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await primary.sql('SELECT pg_reload_conf()')
  while ((await primary.sql('SELECT sync_state FROM pg_stat_replication'))[0]?.sync_state !== 'sync') await sleep(20)
  const hosts = [primary, standby].map(({ folder: host, port }) => ({ host, port }))
  const address = primary.newAddress({ hosts })
  const stores = await Promise.all([1, 2].map(() => openPostgresStore({ address })))
  const writers = ['a', 'b', 'c', 'd'].map(name => keepWriting(stores, name))
  await sleep(150)
  await primary.stop('SIGKILL')
  const before = writers.map(({ acknowledged }) => acknowledged.length)
  await standby.sql('SELECT pg_promote()')
  while (writers.some(({ acknowledged }, at) => acknowledged.length < (before[at] ?? 0) + 20)) await sleep(20)
  await Promise.all(writers.map(writer => writer.stop()))
  const [store] = stores as [(typeof stores)[number]]
  await checkAll(
    t,
    store,
    writers.flatMap(({ acknowledged }) => acknowledged),
  )
  await Promise.all(stores.map(store => store.close()))
}
