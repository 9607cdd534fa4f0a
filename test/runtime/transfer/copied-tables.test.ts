import { join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import t from 'tap'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { openSqliteStore } from '../../../src/store/sqlite/store.js'
import { TestCluster } from '../../support/postgres/cluster.js'
import { findPostgres } from '../../support/postgres/find-postgres.js'
import { testFolder } from '../../support/test-folder.js'

/**
 * The treatment of a table by `daybook ledger copy`. `copied`: row by row, or as events. `made`: the new ledger derives it from
 * the copy. `in part`: the rows that the documentation names. `left`: not copied, as documented. `own`: each database has its own.
 */
type Fate = 'copied' | 'made' | 'in part' | 'left' | 'own'

const COMMON: Record<string, Fate> = {
  events: 'copied',
  subscriptions: 'copied',
  users: 'copied',
  api_tokens: 'copied',
  consumers: 'copied',
  dead_letters: 'copied',
  sources: 'copied',
  source_secrets: 'copied',
  // The epoch, whether it is closed, and the place in the event queue; the rest is about this database.
  meta: 'in part',
  // Those of feeds.
  notes: 'in part',
  source_counters: 'made',
  kind_counters: 'made',
  source_marks: 'made',
  prunings: 'made',
  account_log: 'left',
  event_changes: 'own',
}
const SQLITE: Record<string, Fate> = {
  ...COMMON,
  event_facets: 'made',
  event_text_overlong: 'made',
  event_segments: 'made',
  event_signatures: 'made',
}
const POSTGRES: Record<string, Fate> = {
  ...COMMON,
  event_keys: 'made',
  event_marks: 'made',
  pruned_events: 'made',
  ledger_clock: 'made',
  sessions: 'left',
  login_failures: 'left',
  schema_version: 'own',
  leases: 'own',
  subscription_version: 'own',
  deleted_subscriptions: 'own',
}

t.test('each table of a file is on the list of copied or of excluded tables', async t => {
  const path = join(testFolder(t), 'events.db')
  await (await openSqliteStore({ path, clock: () => 1, onFailure: error => t.fail(String(error)) })).close()
  const database = new sqlite.Database(path)
  t.teardown(() => database.close())
  // Without it, this SQLite opens no database with a WAL.
  database.exec('PRAGMA locking_mode = EXCLUSIVE')
  const rows = database.all(`
    SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'event_facets_%' AND name NOT LIKE 'sqlite_%'`)
  t.same(rows.map(({ name }) => name).sort(), Object.keys(SQLITE).sort())
})

const programs = findPostgres()
if (programs !== undefined) {
  const cluster = await TestCluster.shared(t, programs)
  t.test('each table of a database is on the list of copied or of excluded tables', async t => {
    const address = cluster.newAddress()
    await (await openPostgresStore({ address })).close()
    const rows = await cluster.sql(`
      SELECT relname AS name FROM pg_class
      WHERE relnamespace = '${address.schema}'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`)
    t.same(rows.map(({ name }) => name).sort(), Object.keys(POSTGRES).sort())
  })
}
