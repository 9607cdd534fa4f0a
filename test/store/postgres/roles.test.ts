import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { toTimestamp } from '../../../src/model/timestamp.js'
import { checkPostgresLedger, checkPostgresWatches } from '../../../src/runtime/doctor/postgres.js'
import { ledgerStatus } from '../../../src/runtime/ledger-status.js'
import { migrateLedger } from '../../../src/runtime/migrate-ledger.js'
import { copyLedger } from '../../../src/runtime/transfer/copy-ledger.js'
import { readLocalSettings } from '../../../src/settings/local-settings.js'
import { openPostgresBoardStore } from '../../../src/store/postgres/board/board-store.js'
import type { Connection } from '../../../src/store/postgres/connection/connection.js'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { LEDGER_MIGRATIONS } from '../../../src/store/postgres/upgrade/ledger-migrations.js'
import { migrate as migrateSchema } from '../../../src/store/postgres/upgrade/migrate.js'
import { monthsFrom } from '../../../src/store/postgres/upgrade/partitions.js'
import { prepareLedger } from '../../../src/store/postgres/upgrade/prepare-ledger.js'
import { ADA } from '../../board/actor.js'
import { memorySources } from '../../settings/memory-sources.js'
import { messageCreated } from '../../support/events.js'
import { TestCluster } from '../../support/postgres/cluster.js'
import { findPostgres } from '../../support/postgres/find-postgres.js'
import { queuedRun } from '../../support/run.js'
import { storedSubscription } from '../../support/subscription.js'
import { testFolder } from '../../support/test-folder.js'
import { cardWith } from '../board/card-history-conformance.js'
import { erase, prune } from '../erasure-conformance.js'

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else {
  const cluster = await TestCluster.start(t, programs)
  await cluster.sql(`
    CREATE ROLE ledger_owner LOGIN; CREATE ROLE ledger_server LOGIN;
    GRANT CREATE ON DATABASE postgres TO ledger_owner`)
  const migrate = (user: string, schema: string, options: { months?: number; grantTo?: string } = {}) => {
    const url = `postgres://${user}@/postgres?host=${cluster.folder}&schema=${schema}`
    const settings = readLocalSettings({}, memorySources({ env: { EVENT_DB: url } }))
    return migrateLedger(settings, { months: 3, ...options })
  }
  t.test('a step of an upgrade has no statement timeout', async t => {
    const address = cluster.newAddress({ timeoutSeconds: 1 })
    const steps = [
      (connection: Connection) => connection.script('CREATE TABLE own_table (x int); SELECT pg_sleep(1.5)'),
    ]
    t.same(await migrateSchema(address, { noun: 'test', ownTable: 'own_table', steps }), { from: 0, to: 1 })
  })

  /** Runs every type of request that a server makes. */
  const serveAs = async (t: Test, schema: string) => {
    const store = await openPostgresStore({ address: cluster.newAddress({ user: 'ledger_server', schema }) })
    const { events, subscriptions, users, consumers, notes, multiServer, copies } = store
    const [first] = await events.record([
      messageCreated('1'),
      messageCreated('2'),
      messageCreated('3'),
      messageCreated('1'),
    ])
    const at = first?.capturedAt ?? 0
    await erase(store, '1', [at + 1])
    await prune(store, '2', at)
    await consumers.save({ name: 'mail', owner_user_id: null, position: 'beginning' }, { most: 1, now: at })
    const [lease] = [await multiServer.acquireLease('watch', 30)]
    t.match(lease, { fence: 1 })
    t.ok(await multiServer.isLeaseHeld('watch'))
    t.ok(await notes.save({ kind: 'feed', name: 'news', body: '{}' }))
    t.ok(await notes.delete('feed', 'news'))
    t.same(await users.list(), [])
    t.equal(await subscriptions.delete('none'), false)
    t.match(await copies.read({ since: null, changes: null, limit: 10, maxBytes: 1_000_000 }), { events: 5 })
    t.match(await events.verify({ since: null, limit: 100 }), { events: 5, problems: { length: 0 } })
    t.match(await events.health(), { head: { capturedAt: Number } })
    await t.rejects(multiServer.makePartitions(4_000_000_000_000_000), { code: 'store_forbidden' })
    await store.close()
  }

  t.test('an owner role creates the tables, and a role without create rights serves from them', async t => {
    const serving = { user: 'ledger_server', schema: 'roles' }
    await t.rejects(openPostgresStore({ address: cluster.newAddress(serving) }), { code: 'store_forbidden' })
    await t.rejects(migrate('ledger_owner', 'roles', { grantTo: 'nobody_known' }), {
      category: 'invalid',
      code: 'role_unknown',
    })
    const made = await migrate('ledger_owner', 'roles')
    t.match(made, { from_version: 0, schema_version: Number, granted_to: null })
    t.equal(made.partitions.length, 4, 'this month and three more')
    await t.rejects(
      openPostgresStore({ address: cluster.newAddress(serving) }),
      { code: 'store_forbidden', message: /: permission denied for schema roles\. Grant/ },
      'no rights',
    )
    t.match(await migrate('ledger_owner', 'roles', { grantTo: 'ledger_server' }), { granted_to: 'ledger_server' })
    await serveAs(t, 'roles')
    t.match(await migrate('ledger_owner', 'roles', { months: 5 }), { partitions: { length: 2 }, granted_to: null })
    await t.rejects(migrate('ledger_server', 'roles', { months: 7 }), { code: 'store_forbidden' })
  })

  t.test('commands that only read find no ledger in a wrong schema, and make none', async t => {
    const url = `postgres://ledger_owner@/postgres?host=${cluster.folder}&schema=misspelled`
    const settings = readLocalSettings({}, memorySources({ env: { EVENT_DB: url } }))
    const file = readLocalSettings({ db: join(testFolder(t), 'copy.db') }, memorySources({}))
    const missing = { category: 'not_found', code: 'ledger_missing', message: /schema=misspelled.*Check the database/ }
    await t.rejects(ledgerStatus(settings, { check: false }), missing)
    await t.rejects(copyLedger({ from: settings, to: file }, {}), missing)
    await t.rejects(migrateLedger(settings, { months: 3, isRestored: true }), {
      code: 'ledger_missing',
      message: /Restore the backup first/,
    })
    t.same(await cluster.sql(`SELECT FROM pg_namespace WHERE nspname = 'misspelled'`), [])
  })

  t.test('a schema with tables of another program is refused and not changed', async t => {
    await cluster.sql('CREATE SCHEMA taken AUTHORIZATION ledger_owner; CREATE TABLE taken.users (name text)')
    const address = cluster.newAddress({ user: 'ledger_owner', schema: 'taken' })
    await t.rejects(openPostgresStore({ address }), { category: 'configuration', code: 'store_foreign' })
    t.same(await cluster.sql(`SELECT relname FROM pg_class WHERE relnamespace = 'taken'::regnamespace`), [
      { relname: 'users' },
    ])
  })

  t.test('a new ledger has the partitions of this month and three more before it has events', async t => {
    const address = cluster.newAddress({ user: 'ledger_owner', schema: 'partitioned' })
    await (await openPostgresStore({ address })).close()
    const months = await cluster.sql(`
      SELECT FROM pg_inherits WHERE inhparent = 'partitioned.events'::regclass
        AND inhrelid <> 'partitioned.events_other'::regclass`)
    t.equal(months.length, 4)
  })

  t.test('settings of the role do not affect the ledger', async t => {
    await migrate('ledger_owner', 'settings', { grantTo: 'ledger_server' })
    const others = [
      'array_nulls = off',
      'standard_conforming_strings = off',
      'default_transaction_isolation = serializable',
    ]
    for (const setting of [...others, 'bytea_output = escape', 'client_encoding = LATIN1', 'timezone = "Asia/Tokyo"']) {
      await cluster.sql(`ALTER ROLE ledger_server SET ${setting}`)
    }
    await serveAs(t, 'settings')
    await cluster.sql('ALTER ROLE ledger_server RESET ALL; ALTER ROLE ledger_owner SET bytea_output = escape')
    await cluster.sql('ALTER ROLE ledger_owner SET extra_float_digits = -10')
    const board = await openPostgresBoardStore(cluster.newAddress({ user: 'ledger_owner', schema: 'settings_board' }))
    const run = queuedRun()
    await board.runs.create(run, { keep: 1, by: ADA })
    await board.runs.appendLog(run.id, [{ at: run.created_at, stream: 'out', text: 'done' }], {
      bytes: 9,
      pieces: 9,
    })
    t.match(await board.runs.readLog(run.id, 0, 9), [{ text: 'done' }])
    const standing: string[] = []
    for (let n = 0; n < 30; n++) {
      await board.cards.create(cardWith(`card_${n}`), { position: 1, max: 30, by: ADA })
      standing.splice(1, 0, `card_${n}`)
      const { items } = await board.cards.list({}, { limit: 30, after: 0 })
      t.equal(new Set(items.map(({ rank }) => rank)).size, n + 1, 'each card has a rank of its own')
      t.same(
        items.sort((one, other) => one.rank - other.rank).map(({ id }) => id),
        standing,
      )
    }
    await board.close()
    await cluster.sql('ALTER ROLE ledger_owner RESET ALL')
  })

  t.test('a ledger is created only in a database that stores all characters', async t => {
    await cluster.sql(`CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`)
    await t.rejects(openPostgresStore({ address: cluster.newAddress({ database: 'latin' }) }), {
      category: 'configuration',
      code: 'store_encoding',
      message: /A ledger needs .* UTF8, and this one has LATIN1/,
    })
  })

  t.test('a server whose role cannot upgrade refuses an older schema, and the owner upgrades it', async t => {
    const older = LEDGER_MIGRATIONS.slice(0, -1)
    const address = { user: 'ledger_owner', schema: 'older' }
    await migrateSchema(cluster.newAddress(address), { noun: 'ledger', ownTable: 'ledger_clock', steps: older })
    await cluster.sql(`
      GRANT USAGE ON SCHEMA older TO ledger_server; GRANT SELECT ON ALL TABLES IN SCHEMA older TO ledger_server`)
    const serving = { user: 'ledger_server', schema: 'older' }
    await t.rejects(openPostgresStore({ address: cluster.newAddress(serving) }), { code: 'store_forbidden' })
    const upgraded = await migrate('ledger_owner', 'older', { grantTo: 'ledger_server' })
    t.match(upgraded, { from_version: older.length, schema_version: older.length + 1 })
    await serveAs(t, 'older')
  })

  t.test('servers and ledger migrate refuse a schema of a newer release', async t => {
    await migrate('ledger_owner', 'newer', { grantTo: 'ledger_server' })
    await cluster.sql('UPDATE newer.schema_version SET version = version + 1')
    const newer = { category: 'configuration', code: 'store_newer' }
    await t.rejects(openPostgresStore({ address: cluster.newAddress({ schema: 'newer' }) }), newer)
    await t.rejects(migrate('ledger_owner', 'newer'), newer)
  })

  t.test('psql restores the dump that the documentation describes', async t => {
    const store = await openPostgresStore({ address: cluster.newAddress({ schema: 'daybook' }) })
    await store.events.record([messageCreated('1', { payload: { text: 'lift off' } })])
    const bounds = { ttlSeconds: 600, maxSessions: 9, manyForOne: 9 }
    await store.multiServer.sessions.add('digest', { id: 'session_1', userId: 'user_1', address: null }, bounds)
    await store.close()
    const page = readFileSync('docs/how-to/use-postgresql.md', 'utf8')
    const [, options = ''] = / pg_dump (.*) ledger >/.exec(page) ?? []
    const server = ['--host', cluster.folder, '--port', String(cluster.port), '--username', 'daybook']
    const dump = execFileSync(join(programs, 'pg_dump'), [...server, ...options.split(' '), 'postgres'])
    await cluster.sql('CREATE DATABASE restored TEMPLATE template0')
    const stopping = ['--quiet', '--output=/dev/null', '--set=ON_ERROR_STOP=1']
    execFileSync(join(programs, 'psql'), [...server, ...stopping, 'restored'], { input: dump })
    const address = cluster.newAddress({ database: 'restored', schema: 'daybook' })
    const restored = await openPostgresStore({ address })
    const { count, epoch } = await restored.events.query({ search: ['lift'], order: 'desc', limit: 10 })
    t.equal(count, 1)
    t.ok(await restored.multiServer.sessions.use('digest'))
    const prepared = await prepareLedger(address, { now: 1_800_000_000_000_000, months: 3, isRestored: true })
    t.type(prepared.epoch, 'string')
    t.not(prepared.epoch, epoch)
    t.match(await restored.events.health(), { epoch: prepared.epoch })
    t.equal(await restored.multiServer.sessions.use('digest'), undefined, 'logins have ended')
    t.match(await restored.events.verify({ since: null, limit: 10 }), { events: 1, problems: { length: 0 } })
    await restored.close()
  })

  t.test('running servers continue when a newer release adds a column to a table', async t => {
    const address = cluster.newAddress()
    const store = await openPostgresStore({ address })
    const saved = { name: 'mail', owner_user_id: null, position: 'beginning' } as const
    const readAll = async () => {
      await store.events.record([messageCreated('1')])
      await store.consumers.save(saved, { most: 1, now: 1 })
      t.equal((await store.consumers.list(undefined)).length, 1)
      t.match(await store.consumers.seek({ name: 'mail', owner: undefined }, 'now', 2), { name: 'mail' })
      t.same(await store.users.list(), [])
      t.match(await store.copies.readState(), { consumers: [{ name: 'mail' }], users: [] })
      t.match(await store.events.query({ order: 'desc', limit: 1 }), { count: 1 })
    }
    await readAll()
    const accounts = ['users', 'api_tokens', 'subscriptions', 'consumers', 'dead_letters']
    for (const table of [...accounts, 'events', 'event_keys', 'ledger_clock', 'meta']) {
      await cluster.sql(`ALTER TABLE ${address.schema}.${table} ADD COLUMN added text`)
    }
    await readAll()
    await store.close()
  })

  t.test('the doctor reports a database that is not ready or not safe', async t => {
    const address = cluster.newAddress({ user: 'ledger_server', schema: 'checked' })
    const now = Date.now() * 1_000
    const look = async () => {
      return (await checkPostgresLedger(address, now)).map(({ state, detail }) => `${state}: ${detail}`)
    }
    t.match(await look(), [/^ok: .*PostgreSQL \d+/, /^warn: There is no ledger in the schema "checked" yet/])
    t.same(await checkPostgresWatches(address, now), [])
    await migrate('ledger_owner', 'checked', { grantTo: 'ledger_server' })
    t.match(await look(), { length: 1 })
    const updated_at = toTimestamp(now - 3_600_000_000)
    const watch = { target: 'stream:eng/topic:deploys', capture_modes: ['poll'], updated_at }
    const body = JSON.stringify(storedSubscription(watch))
    await cluster.sql(`INSERT INTO checked.subscriptions (id, body, version) VALUES ('watch', '${body}', 0)`)
    t.match(await checkPostgresWatches(address, now), [{ state: 'warn', detail: /nothing captures it/ }])
    const [month] = monthsFrom(now, 1)
    await cluster.sql(`DROP TABLE checked.${month?.name}; ALTER ROLE ledger_server SET synchronous_commit = off`)
    t.match(await look(), [
      /^ok/,
      /^warn: synchronous_commit is off/,
      new RegExp(`^warn: There is no partition ${month?.name}`),
    ])
    await cluster.sql(
      'ALTER ROLE ledger_server RESET synchronous_commit; UPDATE checked.schema_version SET version = 1',
    )
    t.match(await look(), [/^ok/, /^warn: The tables have schema 1, and this release upgrades them/])
    await cluster.sql('UPDATE checked.schema_version SET version = 99')
    t.match(await look(), [/^ok/, /^fail: The tables have schema 99; this release knows \d+/])
    await cluster.sql('REVOKE USAGE ON SCHEMA checked FROM ledger_server')
    await t.rejects(look(), { code: 'store_forbidden' })
  })

  t.test('a month whose partition was detached gets no new one, and the other months keep theirs', async t => {
    await migrate('ledger_owner', 'detached', { months: 1 })
    const [month] = monthsFrom(Date.now() * 1_000, 1)
    await cluster.sql(`ALTER TABLE detached.events DETACH PARTITION detached.${month?.name}`)
    const address = cluster.newAddress({ user: 'ledger_owner', schema: 'detached' })
    t.match(await checkPostgresLedger(address, Date.now() * 1_000), { length: 1 }, 'the doctor does not ask for it')
    t.match(await migrate('ledger_owner', 'detached', { months: 2 }), { partitions: { length: 1 } })
  })

  t.test('ledger migrate refuses a ledger in a file', async t => {
    const settings = readLocalSettings({ db: '/srv/events.db' }, memorySources({}))
    await t.rejects(migrateLedger(settings, { months: 3 }), { category: 'configuration', code: 'ledger_is_a_file' })
  })
}
