import t from 'tap'
import { eventsOf } from '../../../src/model/events/event-query.js'
import { Connection } from '../../../src/store/postgres/connection/connection.js'
import { countEvents } from '../../../src/store/postgres/read/event-histogram.js'
import { readPage } from '../../../src/store/postgres/read/event-reader.js'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { messageCreated } from '../../support/events.js'
import { TestCluster } from '../../support/postgres/cluster.js'
import { findPostgres } from '../../support/postgres/find-postgres.js'
import { until } from '../../support/until.js'
import { prune } from '../erasure-conformance.js'

const MIB = 1024 * 1024
/** More than a page has bytes. */
const EVENTS = 20
const SIZE = 0.9 * MIB

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else {
  const cluster = await TestCluster.shared(t, programs)
  const payload = { filling: 'x'.repeat(SIZE) }

  t.test('no statement reads more bytes of events than a page may have', async t => {
    const address = cluster.newAddress()
    const store = await openPostgresStore({ address })
    for (let at = 0; at < EVENTS; at++) await store.events.record([messageCreated(String(at), { payload })])
    const connection = await Connection.open(address, 'daybook test')
    const runOnce = connection.runOnce.bind(connection)
    const read: number[] = []
    connection.runOnce = async (sql, values) => {
      const rows = await runOnce(sql, values)
      read.push(rows.reduce((sum, { event }) => sum + String(event ?? '').length, 0))
      return rows
    }
    const isBounded = () => read.length > 0 && read.splice(0).every(size => size <= 16 * MIB)

    for (const order of ['asc', 'desc'] as const) {
      const query = { order, limit: 100 } as const
      const page = await readPage(connection, { ...query, withoutPayload: true })
      const events = eventsOf(page)
      t.equal(events.length, EVENTS)
      t.ok(events.every(event => !('payload' in event)))
      t.ok(isBounded(), `without payload, ${order}`)
    }
    // The database cannot decide about this character, so the server reads the events.
    const excluded = { searches: [['\ufffd']] }
    const { count } = await countEvents(connection, { buckets: 1, now: Date.now() * 1_000, excluded })
    t.equal(count, EVENTS)
    t.ok(isBounded(), 'counts')
    await Promise.all([connection.close(), store.close()])
  })

  t.test('recording waits for the removal of a few large events at a time', async t => {
    const address = cluster.newAddress()
    const store = await openPostgresStore({ address })
    let last = 0
    for (let at = 0; at < 6; at++) {
      const [outcome] = await store.events.record([messageCreated(String(at), { payload })])
      last = Number(outcome?.capturedAt)
    }
    await cluster.sql(`
      CREATE TABLE ${address.schema}.slices (events bigint);
      CREATE FUNCTION ${address.schema}.note_slice() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO ${address.schema}.slices SELECT count(*) FROM moved; RETURN NULL; END $$;
      CREATE TRIGGER note_slice AFTER INSERT ON ${address.schema}.pruned_events
        REFERENCING NEW TABLE AS moved FOR EACH STATEMENT EXECUTE FUNCTION ${address.schema}.note_slice()`)
    await prune(store, '1', last)
    const slices = () => cluster.sql(`SELECT events FROM ${address.schema}.slices`)
    await until(async () => (await slices()).reduce((sum, { events }) => sum + Number(events), 0) === 6)
    t.ok((await slices()).every(({ events }) => Number(events) * SIZE <= 4 * MIB))
    await store.close()
  })
}
