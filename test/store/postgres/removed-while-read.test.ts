import t from 'tap'
import { Connection } from '../../../src/store/postgres/connection/connection.js'
import { readPage } from '../../../src/store/postgres/read/event-reader.js'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { keysOf, messageCreated } from '../../support/events.js'
import { TestCluster } from '../../support/postgres/cluster.js'
import { findPostgres } from '../../support/postgres/find-postgres.js'
import { until } from '../../support/until.js'
import { prune } from '../erasure-conformance.js'

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else {
  const cluster = await TestCluster.shared(t, programs)

  t.test('a page from which retention removes events while it is read shows that they are gone', async t => {
    const address = await cluster.emptyLedger(t)
    const store = await openPostgresStore({ address })
    const connection = await Connection.open(address, 'test')
    t.teardown(() => Promise.all([store.close(), connection.close()]))
    const [first, second] = await store.events.record(['1', '2', '3'].map(key => messageCreated(key)))
    const through = second?.capturedAt ?? 0
    const run = connection.run.bind(connection)
    let statements = 0
    connection.run = async (sql, ...values) => {
      const rows = await run(sql, ...values)
      statements++
      if (statements === 1) {
        await prune(store, '1', through)
        const left = `SELECT FROM ${address.schema}.events WHERE captured_us <= ${through}`
        await until(async () => (await cluster.sql(left)).length === 0)
      }
      return rows
    }
    const page = await readPage(connection, { since: (first?.capturedAt ?? 0) - 1, order: 'asc', limit: 10 })
    t.same(keysOf(page), ['3'])
    t.equal(page.prunedThrough, through, 'so the reader with an earlier checkpoint is refused')
  })
}
