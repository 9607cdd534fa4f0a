import t from 'tap'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { messageCreated } from '../../support/events.js'
import { TestCluster } from '../../support/postgres/cluster.js'
import { findPostgres } from '../../support/postgres/find-postgres.js'

const programs = findPostgres()
const BATCHES = 12
const NEW = 250
const REPEATED = 10
/** Maximum reads per event: at its recording, at its repeat and in the page of a reader, with some tolerance. */
const READS = 4

t.test(
  'a new ledger that fills before PostgreSQL analyses its tables reads a row a few times, not with every batch',
  { skip: programs === undefined ? 'there is no PostgreSQL server' : false },
  async t => {
    const cluster = await TestCluster.shared(t, programs as string)
    const address = cluster.newAddress()
    const store = await openPostgresStore({ address })
    let since = 0
    const record = async (events: number, batch: number) => {
      const fresh = Array.from({ length: events }, (_, at) => messageCreated(`${batch} ${at}`))
      const repeated = Array.from({ length: Math.min(events, REPEATED) }, (_, at) =>
        messageCreated(`${batch - 1} ${at}`),
      )
      const outcomes = await store.events.record([...fresh, ...repeated])
      await store.events.query({ since, order: 'asc', limit: NEW })
      since = outcomes[events - 1]?.capturedAt ?? 0
    }
    // PostgreSQL keeps the plan of a statement from its sixth time on: here, while the tables are nearly empty.
    for (let at = 0; at < 10; at++) await record(1, at)
    for (let at = 0; at < BATCHES; at++) await record(NEW, 10 + at)
    // The rows that a connection has read are counted when it ends.
    await store.close()

    const rows = await cluster.sql(`
      SELECT relname AS table, seq_tup_read + idx_tup_fetch AS read FROM pg_stat_user_tables
      WHERE schemaname = '${address.schema}' AND relname ~ '^event(s_|_keys)'`)
    t.ok(rows.some(({ read }) => Number(read) > 0))
    for (const { table, read } of rows) t.ok(Number(read) < READS * BATCHES * NEW, `${table}: ${read} rows`)
  },
)
