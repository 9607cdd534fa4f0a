import t from 'tap'
import { Connection } from '../../../src/store/postgres/connection/connection.js'
import { Pool } from '../../../src/store/postgres/connection/pool.js'
import { TestCluster } from '../../support/postgres/cluster.js'
import { findPostgres } from '../../support/postgres/find-postgres.js'
import { until } from '../../support/until.js'

/** Waits for the test that holds it. */
const LOCK = 'SELECT pg_advisory_xact_lock(7162036999)'

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else {
  const cluster = await TestCluster.shared(t, programs)

  t.test('aborted requests do not leave more connections than the pool allows', async t => {
    const address = cluster.newAddress({ poolSize: 2 })
    const name = 'daybook pool test'
    const pool = new Pool(address, name)
    const statesOf = async () => {
      const rows = await cluster.sql(`SELECT state FROM pg_stat_activity WHERE application_name = '${name}'`)
      return rows.map(({ state }) => state)
    }
    const holder = await Connection.open(address, 'daybook test')
    await holder.script(`BEGIN; ${LOCK}`)
    const gone = new AbortController()
    const read = (signal?: AbortSignal) => pool.use(connection => connection.run(LOCK), signal)
    const left = [read(gone.signal), read(gone.signal)]
    await until(async () => (await statesOf()).filter(state => state === 'active').length === 2)
    gone.abort(new Error('gone'))
    // They take the places of the others while these are cancelled.
    const others = [read(), read()]
    t.match(await Promise.allSettled(left), [{ reason: { message: 'gone' } }, { reason: { message: 'gone' } }])
    await until(async () => (await statesOf()).filter(state => state === 'active').length === 2)
    await holder.script('ROLLBACK')
    await Promise.all(others)
    await until(async () => (await statesOf()).length <= 2)
    await Promise.all([holder.close(), pool.close()])
  })

  t.test('a pool completes what it has accepted before it is closed, and accepts nothing later', async t => {
    const address = cluster.newAddress({ poolSize: 1 })
    const name = 'daybook closed pool test'
    const pool = new Pool(address, name)
    const holder = await Connection.open(address, 'daybook test')
    await holder.script(`BEGIN; ${LOCK}`)
    let completed = 0
    const accepted = ['in progress', 'waiting'].map(() =>
      pool.transaction(async connection => {
        await connection.run(LOCK)
        completed++
      }),
    )
    let isClosed = false
    const closed = pool.close().then(() => {
      isClosed = true
    })
    await t.rejects(pool.run('SELECT 1'), { category: 'unavailable', code: 'store_closed' })
    const waits = async () => {
      const rows = await cluster.sql(
        `SELECT 1 FROM pg_stat_activity WHERE application_name = '${name}' AND wait_event_type = 'Lock'`,
      )
      return rows.length > 0
    }
    await until(waits)
    t.equal(isClosed, false)
    await holder.script('ROLLBACK')
    await closed
    t.equal(completed, 2)
    await Promise.all(accepted)
    await holder.close()
  })
}
