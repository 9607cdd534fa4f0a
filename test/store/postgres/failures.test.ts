import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import t, { type Test } from 'tap'
import { Ledger } from '../../../src/ledger/ledger.js'
import { AppError } from '../../../src/model/app-error.js'
import type { PostgresAddress } from '../../../src/model/postgres-address.js'
import { toTimestamp } from '../../../src/model/timestamp.js'
import { checkPostgresLedger } from '../../../src/runtime/doctor/postgres.js'
import type { EventToRecord } from '../../../src/store/event-store.js'
import { Connection } from '../../../src/store/postgres/connection/connection.js'
import { toStoreError } from '../../../src/store/postgres/connection/store-error.js'
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/store.js'
import { TAKE_CLOCK } from '../../../src/store/postgres/write/event-writer.js'
import { mounting, mountSmallDisk } from '../../black-box/mounts.js'
import { ownFolder } from '../../black-box/own-folder.js'
import { keysOf, messageCreated } from '../../support/events.js'
import { freePort } from '../../support/free-port.js'
import { giveToServer, TestCluster } from '../../support/postgres/cluster.js'
import { findPostgres } from '../../support/postgres/find-postgres.js'
import { checkAll, keepWriting, roundsOf } from '../../support/postgres/keep-writing.js'
import { networkTo } from '../../support/postgres/network.js'
import { until } from '../../support/until.js'

/** A statement without a name (Parse), and how a message with its values (Bind) begins. */
const CUT_MESSAGES = 'P\0\0\0\x10\0SELECT 1\0\0\0B\0\x10\0\0'

const OPEN = { role: 'open' } as const

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else {
  // Durable: what was acknowledged has to outlive a crash.
  const cluster = await TestCluster.start(t, programs, ['fsync=on', 'listen_addresses=127.0.0.1'], await freePort())
  const isWaitingForTable = async () =>
    (await cluster.sql(`SELECT FROM pg_locks WHERE NOT granted AND locktype = 'relation'`)).length > 0
  const openTogether = async (count: number) => {
    const address = await cluster.emptyLedger(t)
    return Promise.all(Array.from({ length: count }, () => openPostgresStore({ address })))
  }

  t.test('ten servers start at the same time on an empty database', async t => {
    const stores = await openTogether(10)
    await Promise.all(stores.map((store, at) => store.events.record([messageCreated(String(at))])))
    t.match(await stores[0]?.events.stats(), { event_count: 10 })
    await Promise.all(stores.map(store => store.close()))
  })

  t.test('what arrives while another server holds the order of the ledger is recorded in one transaction', async t => {
    const address = cluster.newAddress()
    const store = await openPostgresStore({ address })
    const another = await Connection.open(address, 'another server')
    await another.script('BEGIN; SELECT FROM ledger_clock FOR UPDATE')
    const recorded = [store.events.record([messageCreated('first')])]
    await until(async () => (await cluster.sql(`SELECT FROM pg_locks WHERE NOT granted`)).length > 0)
    for (const key of ['second', 'third']) recorded.push(store.events.record([messageCreated(key)]))
    await another.script('COMMIT')
    await Promise.all(recorded)
    const transactions = await another.runOnce('SELECT DISTINCT xmin::text FROM events')
    t.equal(transactions.length, 1)
    t.match(await store.events.stats(), { event_count: 3 })
    await another.close()
    await store.close()
  })

  t.test(
    'an event that arrives while another one waits in vain for the order of the ledger is not refused with it',
    async t => {
      const address = cluster.newAddress({ timeoutSeconds: 1 })
      const store = await openPostgresStore({ address })
      const another = await Connection.open({ ...address, timeoutSeconds: 60 }, 'another server')
      await another.script('BEGIN; SELECT FROM ledger_clock FOR UPDATE')
      const first = store.events.record([messageCreated('first')])
      await until(async () => (await cluster.sql(`SELECT FROM pg_locks WHERE NOT granted`)).length > 0)
      const second = store.events.record([messageCreated('second')])
      await t.rejects(first, { code: 'busy' })
      await another.script('COMMIT')
      t.match(await second, [{ created: true }])
      await another.close()
      await store.close()
    },
  )

  t.test(
    'while connections are cut, a failed write is reported as unavailable, and its repetition is stored',
    async t => {
      const stores = await openTogether(2)
      const writers = ['a', 'b', 'c', 'd'].map(name => keepWriting(stores, name))
      for (let cut = 0; cut < 5; cut++) {
        await sleep(40)
        await cluster.sql(`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'daybook%'`)
      }
      await sleep(100)
      await Promise.all(writers.map(writer => writer.stop()))
      await checkAll(
        t,
        stores[0] as PostgresStore,
        writers.flatMap(({ acknowledged }) => acknowledged),
      )
      await Promise.all(stores.map(store => store.close()))
    },
  )

  t.test('a waiting read notices a change of its consumer whose notification was lost', async t => {
    const address = await cluster.emptyLedger(t)
    const store = await openPostgresStore({ address })
    t.teardown(() => store.close())
    const { now: clock } = store.multiServer
    const { consumers } = await Ledger.open({ store, clock, newSubscriptionId: () => 'sub_1' })
    await consumers.save('mail', { position: 'now' }, OPEN)
    const { signal } = new AbortController()
    const request = { waitSeconds: 20, leaseSeconds: 5, limit: 9, signal, wrapRead: <Read>(read: Read) => read }
    const reading = consumers.nextBatch('mail', request, OPEN)
    const started = performance.now()
    await until(
      async () => String((await consumers.get('mail', OPEN)).leased_until) > toTimestamp(clock() + 10_000_000),
    )
    await cluster.sql(`
      DELETE FROM ${address.schema}.consumers;
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'daybook notifications'`)
    await t.rejects(reading, { code: 'not_found' })
    t.ok(performance.now() - started < 15_000)
  })

  t.test(
    'servers keep working when PostgreSQL is killed and started again, and no acknowledged event is lost',
    async t => {
      const stores = await openTogether(2)
      const writers = ['a', 'b', 'c'].map(name => keepWriting(stores, name))
      for (let crash = 0; crash < roundsOf(2); crash++) {
        await sleep(150)
        await cluster.stop('SIGKILL')
        await sleep(100)
        await cluster.launch()
      }
      await sleep(100)
      await Promise.all(writers.map(writer => writer.stop()))
      await checkAll(
        t,
        stores[1] as PostgresStore,
        writers.flatMap(({ acknowledged }) => acknowledged),
      )
      await Promise.all(stores.map(store => store.close()))
    },
  )

  t.test('a transaction pooler is detected by foreign prepared statements', async t => {
    const connection = await Connection.open(cluster.newAddress(), 'daybook test')
    await connection.script('PREPARE s0 AS SELECT 1')
    await t.rejects(connection.run('SELECT 2'), { category: 'unavailable', code: 'store_pooled' })
    await connection.run('SELECT 3')
    await connection.script('DISCARD ALL')
    await t.rejects(connection.run('SELECT 3'), { code: 'store_pooled' }, 'or one that has lost its own')
    await connection.close()
  })

  t.test('the last statements of a transaction are committed together or not at all', async t => {
    const connection = await Connection.open(cluster.newAddress(), 'daybook test')
    const insert = (value: string) => ['INSERT INTO last_statements VALUES ($1::int)', value] as const
    const stored = async () => (await connection.runOnce('SELECT * FROM last_statements')).length
    const none = async () => undefined
    await connection.script('CREATE TEMPORARY TABLE last_statements (value int); PREPARE s0 AS SELECT 1')
    await t.rejects(
      connection.transaction(none, () => [insert('1')]),
      { code: 'store_pooled' },
      'a transaction that did not begin',
    )
    t.equal(await stored(), 0)
    await connection.script('DEALLOCATE s0')
    const failing = [() => [insert('1'), insert('x'), insert('2')], () => [insert('1'), fail()]]
    for (const last of failing) await t.rejects(connection.transaction(none, last))
    t.equal(await stored(), 0)
    await connection.transaction(none, () => [insert('1'), insert('2')])
    t.equal(await stored(), 2, 'and the connection can be used')
    await connection.close()
  })

  t.test('a month gets no partition if one of its events is recorded while partitions are created', async t => {
    const address = cluster.newAddress()
    const store = await openPostgresStore({ address })
    await store.events.record([messageCreated('1')])
    const writer = await Connection.open(address, 'daybook test')
    const march = Date.UTC(2096, 2, 5) * 1_000
    await writer.script(`
      BEGIN;
      INSERT INTO events
      SELECT (jsonb_populate_record(event, '{"captured_us": ${march}, "seq": 2}')).* FROM events event`)
    const made = store.multiServer.makePartitions(march)
    await until(isWaitingForTable)
    await writer.script('COMMIT')
    t.same(await made, ['events_2096_04', 'events_2096_05', 'events_2096_06'])
    t.match(await checkPostgresLedger(address, march), { length: 1 }, 'the doctor does not ask for what cannot be made')
    await Promise.all([writer.close(), store.close()])
  })

  t.test('a lease has one holder, and a former holder can record only events without it', async t => {
    const [one, two] = (await openTogether(2)) as [PostgresStore, PostgresStore]
    const captured = (key: string, lease: EventToRecord['matches'][number]['lease']): EventToRecord => {
      return { ...messageCreated(key), matches: [{ id: 'watch', ...(lease ? { lease } : {}) }] }
    }
    const first = await one.multiServer.acquireLease('watch', 30)
    t.same(first, { name: 'watch', fence: 1 })
    t.equal(await two.multiServer.acquireLease('watch', 30), undefined)
    await one.events.record([captured('1', first)])
    t.equal(await one.multiServer.renewLease(first as NonNullable<typeof first>, 0.01), true)
    let second = await two.multiServer.acquireLease('watch', 30)
    while (!second) second = await two.multiServer.acquireLease('watch', 30)
    t.same(second, { name: 'watch', fence: 2 })
    t.equal(await one.multiServer.renewLease(first as NonNullable<typeof first>, 30), false)
    const together = [[messageCreated('2')], [captured('3', first)], [messageCreated('4')]]
    t.match(await Promise.allSettled(together.map(events => one.events.record(events))), [
      { status: 'fulfilled' },
      { status: 'rejected', reason: { category: 'conflict', code: 'lease_lost' } },
      { status: 'fulfilled' },
    ])
    await two.events.record([captured('5', second)])
    t.same(keysOf(await one.events.query({ order: 'asc', limit: 10, since: 0 })), ['1', '2', '4', '5'])
    await two.multiServer.releaseLease(second)
    t.equal(await two.multiServer.renewLease(second, 30), false, 'a renewal that was late does not revive it')
    t.match(await one.multiServer.acquireLease('watch', 30), { fence: 3 })
    await Promise.all([one.close(), two.close()])
  })

  t.test('a search whose caller has left is cancelled in the database', async t => {
    const address = await cluster.emptyLedger(t)
    const store = await openPostgresStore({ address })
    await store.events.record(Array.from({ length: 20 }, (_, at) => messageCreated(String(at))))
    // It waits for this transaction, so it is in progress when its caller leaves.
    const holder = await Connection.open(address, 'daybook test')
    await holder.script('BEGIN; LOCK TABLE events')
    const gone = new AbortController()
    const answer = store.events.query({ order: 'asc', limit: 10, since: 0, search: ['zz'] }, gone.signal)
    answer.catch(() => undefined) // looked at below
    await until(isWaitingForTable)
    gone.abort(new Error('gone'))
    await t.rejects(answer, { message: 'gone' })
    await until(async () => !(await isWaitingForTable()))
    await holder.script('ROLLBACK')
    t.equal(
      (await store.events.query({ order: 'asc', limit: 10, since: 0 })).count,
      10,
      'and other queries still succeed',
    )
    await Promise.all([holder.close(), store.close()])
  })

  /** The errors that callers receive while the database accepts no writes. */
  const refusal = (code: string) => ({ category: 'unavailable', code })
  const one = { order: 'asc', limit: 10, since: 0 } as const

  /** A role that may use everything in its database. */
  const newRole = async (t: Test, name: string, options: string) => {
    await cluster.sql(`CREATE ROLE ${name} LOGIN ${options}; GRANT CREATE ON DATABASE postgres TO ${name}`)
    t.teardown(() => cluster.sql(`DROP OWNED BY ${name} CASCADE; DROP ROLE ${name}`))
    return name
  }

  t.test('a database that is set to read only refuses events, and accepts them again later', async t => {
    const [store] = (await openTogether(1)) as [PostgresStore]
    await store.events.record([messageCreated('1')])
    await cluster.sql('ALTER SYSTEM SET default_transaction_read_only = on')
    await cluster.sql('SELECT pg_reload_conf()')
    await until(async () => (await codeOf(store.events.record([messageCreated('2')]))) === 'store_read_only')
    t.same(keysOf(await store.events.query(one)).slice(0, 1), ['1'], 'reading works')
    const address = cluster.newAddress()
    await t.rejects(openPostgresStore({ address }), {
      code: 'store_read_only',
      message: /default_transaction_read_only/,
    })
    await cluster.sql('ALTER SYSTEM RESET default_transaction_read_only')
    await cluster.sql('SELECT pg_reload_conf()')
    await until(async () => (await codeOf(store.events.record([messageCreated('3')]))) === undefined)
    t.match(await store.events.findByDedupeKey('3', 10_000), Buffer)
    await store.close()
  })

  t.test('requests for the health that come together share one write', async t => {
    const address = await cluster.emptyLedger(t)
    const store = await openPostgresStore({ address: { ...address, poolSize: 8 } })
    await Promise.all(Array.from({ length: 50 }, () => store.events.health()))
    await store.close() // the counters of a connection are complete when it has ended
    const [written] = await cluster.sql(`
      SELECT n_tup_upd AS updates FROM pg_stat_user_tables WHERE relid = '${address.schema}.meta'::regclass`)
    t.ok(Number(written?.updates) < 10, `${written?.updates}`)
  })

  t.test('at its limit of connections the database refuses events, and accepts them again later', async t => {
    const user = await newRole(t, 'limited', 'CONNECTION LIMIT 1')
    const address = { ...cluster.newAddress({ user }) }
    const store = await openPostgresStore({ address })
    await t.rejects(store.events.record([messageCreated('1')]), refusal('store_failed'))
    await cluster.sql('ALTER ROLE limited CONNECTION LIMIT 10')
    await store.events.record([messageCreated('1')])
    await store.close()
  })

  t.test('a changed password stops a server until it knows the new one, and no error shows a password', async t => {
    const user = await newRole(t, 'guarded', `PASSWORD 'first-secret'`)
    await cluster.requirePassword(user)
    const withoutPassword = cluster.newAddress({ user })
    await t.rejects(openPostgresStore({ address: withoutPassword }), refusal('store_refused'), 'no password')
    let password = 'first-secret'
    const store = await openPostgresStore({ address: cluster.newAddress({ user, password: () => password }) })
    await store.events.record([messageCreated('1')])
    await cluster.sql(`ALTER ROLE guarded PASSWORD 'second-secret'`)
    await cluster.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'guarded'`)
    await until(async () => (await codeOf(store.events.record([messageCreated('2')]))) === 'store_refused')
    const error: unknown = await store.events.record([messageCreated('2')]).catch(reason => reason)
    t.match(error, { code: 'store_refused' })
    t.notMatch(inspect(error, { depth: null, showHidden: true }), /secret/)
    password = 'second-secret'
    await store.events.record([messageCreated('2')])
    await store.close()
  })

  t.test('the error of a connection names the server, the database, the role and the reason', async t => {
    const { hosts } = cluster.newAddress()
    const place = `${cluster.folder}:${cluster.port}`
    const user = cluster.newAddress({ user: 'nobody_known' })
    await t.rejects(openPostgresStore({ address: user }), {
      code: 'store_refused',
      operatorDetail: `${place}, database "postgres", role "nobody_known": role "nobody_known" does not exist`,
    })
    const database = cluster.newAddress({ database: 'none' })
    await t.rejects(openPostgresStore({ address: database }), {
      code: 'store_missing',
      operatorDetail: /"none" does not exist/,
    })
    const nowhere = { host: '127.0.0.1', port: await freePort() }
    const unreachable = cluster.newAddress({ hosts: [nowhere] })
    await t.rejects(openPostgresStore({ address: unreachable }), {
      code: 'store_failed',
      operatorDetail: /ECONNREFUSED/,
    })
    const both = cluster.newAddress({ hosts: [nowhere, ...hosts], user: await newRole(t, 'keyless', `PASSWORD 'x'`) })
    await cluster.requirePassword('keyless')
    await t.rejects(openPostgresStore({ address: both }), { code: 'store_refused', operatorDetail: place })
  })

  t.test('a name server that does not answer makes the database unreachable for now', t => {
    const error = Object.assign(new Error('getaddrinfo EAI_AGAIN db'), { code: 'EAI_AGAIN' })
    t.match(toStoreError(error), refusal('store_failed'))
    t.end()
  })

  t.test('connections are to the host of the last one, even if an earlier one is back', async t => {
    const folder = ownFolder(t)
    const { port } = cluster
    const hosts = [{ host: folder, port }, ...cluster.newAddress().hosts]
    const open = async () => (await Connection.open(cluster.newAddress({ hosts }), 'test')).close()
    await open()
    let asked = 0
    const back = createServer(socket => {
      asked++
      socket.destroy()
    })
    await once(back.listen(join(folder, `.s.PGSQL.${port}`)), 'listening')
    await open()
    t.equal(asked, 0)
    await (await Connection.open(cluster.newAddress({ hosts: [...hosts] }), 'test')).close()
    t.ok(asked > 0, 'another process would ask it first')
    back.close()
  })

  t.test('a database that takes two seconds delays events, and none fails', async t => {
    const address = await cluster.emptyLedger(t)
    const store = await openPostgresStore({ address })
    await store.events.record([messageCreated('1')])
    const slow = cluster.sql(`SELECT 1 FROM ${address.schema}.ledger_clock FOR UPDATE; SELECT pg_sleep(2)`)
    await until(async () => (await cluster.sql(`SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'`)).length > 0)
    const outcomes = await Promise.all(['2', '3', '2'].map(key => store.events.record([messageCreated(key)])))
    t.same(
      outcomes.map(([outcome]) => outcome?.seenCount),
      [1, 1, 2],
    )
    await slow
    await store.close()
  })

  t.test('the transaction of a suspended server is ended after the first wait for it, and no other', async t => {
    const address = { ...(await cluster.emptyLedger(t)), timeoutSeconds: 1 }
    const store = await openPostgresStore({ address })
    const inState = (name: string, event: string) =>
      until(async () => {
        const of = `application_name = '${name}' AND state = 'active' AND wait_event = '${event}'`
        return (await cluster.sql(`SELECT 1 FROM pg_stat_activity WHERE ${of}`)).length > 0
      })
    /** Leaves the database in a wait for this program, in a transaction. */
    const suspend = async (name: string, first: string, event: 'ClientRead' | 'ClientWrite') => {
      const connection = await Connection.open({ ...address, timeoutSeconds: 60 }, name)
      await connection.script('BEGIN')
      await connection.run(first)
      const { stream } = Reflect.get(connection, 'client').connection
      if (event === 'ClientRead') stream.write(Buffer.from(CUT_MESSAGES))
      else {
        stream.pause()
        connection.runOnce(`SELECT repeat('x', 20000000)`).catch(() => undefined) // its connection is ended
      }
      await inState(name, event)
      return connection
    }
    const report = await suspend('report', 'SELECT pg_current_xact_id()', 'ClientWrite')
    for (const event of ['ClientRead', 'ClientWrite'] as const) {
      const suspended = await suspend('suspended server', TAKE_CLOCK, event)
      await store.events.health() // does not wait
      t.equal(await codeOf(store.events.record([messageCreated(event)])), 'busy')
      await store.events.record([messageCreated(event)])
      suspended.destroy()
    }
    t.equal((await store.events.stats()).event_count, 2)
    await inState('report', 'ClientWrite')
    report.destroy()
    await store.close()
  })

  t.test('a hanging network makes requests fail in time, and the server recovers', async t => {
    const network = await networkTo(t, cluster)
    const address = await cluster.emptyLedger(t)
    const hosts = [{ host: network.host, port: cluster.port }]
    const store = await openPostgresStore({ address: { ...address, hosts, timeoutSeconds: 3 } })
    await store.events.record([messageCreated('1')])
    await store.events.query(one)
    network.hang()
    const refused = [store.events.record([messageCreated('2')]), store.events.query(one), store.users.list()]
    for (const answer of await Promise.allSettled(refused)) {
      t.match(answer, { status: 'rejected', reason: refusal('store_failed') })
    }
    network.heal()
    await until(async () => (await codeOf(store.events.record([messageCreated('2')]))) === undefined)
    t.same(keysOf(await store.events.query(one)), ['1', '2'])
    network.hang()
    await store.close()
    network.heal()
  })

  t.test('a full tablespace refuses only events, until there is room', mounting(), async t => {
    const disk = mountSmallDisk(t, '12m')
    for (const path of [disk.beside, disk.folder]) await giveToServer(path)
    await cluster.sql(`CREATE TABLESPACE small LOCATION '${disk.folder}'`)
    const user = await newRole(t, 'cramped', '')
    await cluster.sql(`GRANT CREATE ON TABLESPACE small TO cramped; ALTER ROLE cramped SET default_tablespace = small`)
    t.teardown(async () => {
      await cluster.sql('DROP OWNED BY cramped CASCADE')
      await cluster.sql('DROP TABLESPACE small')
    })
    const store = await openPostgresStore({ address: cluster.newAddress({ user }) })
    const large = (at: number) =>
      messageCreated(String(at), { payload: { text: randomBytes(300_000).toString('base64') } })
    let stored = 0
    await until(async () => {
      const code = await codeOf(store.events.record([large(stored)]))
      if (code === undefined) stored++
      return code === 'store_full'
    })
    t.ok(stored > 0)
    t.equal((await store.events.query({ ...one, limit: 500, withoutPayload: true })).count, stored, 'reading works')
    execFileSync('mount', ['-o', 'remount,size=64m', disk.folder])
    await store.events.record([large(stored)])
    t.same((await store.events.verify({ since: null, limit: 500 })).problems, [])
    await store.close()
  })

  t.test('sslmode determines how a connection verifies TLS', async t => {
    const certificates = await cluster.useTls()
    const refusedTls = { ...refusal('store_failed'), message: /^No TLS connection .* Check sslmode/ }
    const tcp = { hosts: [{ host: 'localhost', port: cluster.port }] }
    const address = await cluster.emptyLedger(t)
    const isEncrypted = async (changes: Partial<PostgresAddress>) => {
      const connection = await Connection.open({ ...address, ...tcp, ...changes }, 'tls')
      const [row] = await connection.run('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')
      await connection.close()
      return row?.ssl
    }
    t.equal(await isEncrypted({ sslMode: 'disable' }), false)
    t.equal(await isEncrypted({ sslMode: 'prefer' }), true)
    t.equal(await isEncrypted({ sslMode: 'require' }), true)
    const known = { sslRootCertificate: certificates.own }
    t.equal(await isEncrypted({ sslMode: 'verify-full', ...known }), true)
    const otherName = { hosts: [{ host: '127.0.0.1', port: cluster.port }] }
    t.equal(await isEncrypted({ sslMode: 'verify-ca', ...known, ...otherName }), true)
    await t.rejects(isEncrypted({ sslMode: 'verify-full', ...known, ...otherName }), refusedTls, 'another name')
    for (const sslMode of ['verify-ca', 'verify-full'] as const) {
      const other = { sslMode, sslRootCertificate: certificates.other }
      await t.rejects(isEncrypted(other), refusedTls, 'another authority')
    }
    await cluster.sql('ALTER SYSTEM SET ssl = off')
    await cluster.sql('SELECT pg_reload_conf()')
    await until(() => isEncrypted({ sslMode: 'prefer' }).then(encrypted => !encrypted))
    await t.rejects(isEncrypted({ sslMode: 'require' }), refusedTls, 'no TLS at all')
  })
}

/** @returns the code of the refusal; undefined if it was accepted */
function codeOf(outcome: Promise<unknown>): Promise<string | undefined> {
  return outcome.then(
    () => undefined,
    error => {
      if (error instanceof AppError && error.category === 'unavailable') return error.code
      throw error
    },
  )
}

function fail(): never {
  throw new Error('a defect')
}
