import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { Run } from '../../../../src/model/board/run.js'
import { openPostgresBoardStore } from '../../../../src/store/postgres/board/board-store.js'
import { appendLog } from '../../../../src/store/postgres/board/run-log.js'
import { Connection } from '../../../../src/store/postgres/connection/connection.js'
import { openPostgresStore } from '../../../../src/store/postgres/store.js'
import { ADA } from '../../../board/actor.js'
import { TestCluster } from '../../../support/postgres/cluster.js'
import { findPostgres } from '../../../support/postgres/find-postgres.js'
import { queuedRun } from '../../../support/run.js'
import { boardSessionConformance } from '../../board/board-session-conformance.js'
import { cardHistoryConformance } from '../../board/card-history-conformance.js'
import { cardStoreConformance } from '../../board/card-store-conformance.js'
import type { OpenBoardStore } from '../../board/open-board-store.js'
import { runStoreConformance } from '../../board/run-store-conformance.js'

const AT = '2031-05-04T09:00:00.000000Z'
const QUEUED: Run = queuedRun({ mode: 'real', created_at: AT })

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else {
  const cluster = await TestCluster.shared(t, programs)
  const open: OpenBoardStore = async t => {
    const store = await openPostgresBoardStore(await cluster.emptyBoard(t))
    t.teardown(() => store.close())
    return store
  }

  cardStoreConformance(t, open, 6)
  runStoreConformance(t, open, 10)
  cardHistoryConformance(t, open)
  boardSessionConformance(t, open)

  t.test('ten servers may start at the same time on an empty database, and share the salt of the sessions', async t => {
    const address = cluster.newAddress()
    const stores = await Promise.all(Array.from({ length: 10 }, () => openPostgresBoardStore(address)))
    t.equal(new Set(stores.map(({ sessions }) => sessions.salt)).size, 1)
    t.match(stores[0]?.sessions.salt, /^[0-9a-f]{32}$/)
    t.ok(Number(await stores[0]?.multiServer.sizeBytes()) > 0)
    await Promise.all(stores.map(store => store.checkWritable()))
    await Promise.all(stores.map(store => store.close()))
  })

  t.test('a closed board can be read, and refuses every change until it is open again', async t => {
    const address = await cluster.emptyBoard(t)
    const [store, other] = await Promise.all([openPostgresBoardStore(address), openPostgresBoardStore(address)])
    t.teardown(() => Promise.all([store.close(), other.close()]))
    const { runs, multiServer, rows } = store
    await runs.create({ ...QUEUED, id: 'run_1' }, { keep: 9, by: ADA })
    const piece = { at: AT, stream: 'out' as const, text: 'x' }
    const changes: Record<string, () => Promise<unknown>> = {
      'a run': () => runs.create({ ...QUEUED, id: 'run_2' }, { keep: 9, by: ADA }),
      'the state of a run': () => runs.update('run_1', { state: 'running' }),
      'the marker of a run': () => runs.mark('run_1', 'marker'),
      'output of a run': () => runs.appendLog('run_1', [piece], { bytes: 9, pieces: 9 }),
      'a cancellation': () => multiServer.runs.requestCancel('run_1', ADA),
      'a pause': () => runs.setPaused(true),
      'a turn': () => multiServer.runs.acquireLease({ seconds: 60, at: AT }),
      'a probe': () => store.checkWritable(),
    }
    await other.rows.setClosed({ state: 'moved', place: 'elsewhere' })
    for (const [what, change] of Object.entries(changes)) {
      await t.rejects(change(), { category: 'unavailable', code: 'board_moved' }, what)
    }
    t.match(await runs.listActive(), [{ run: { state: 'queued', log_bytes: 0 }, marker: undefined, isTaken: false }])
    t.equal(await runs.isPaused(), false)
    t.equal(await multiServer.runs.findCancelRequest('run_1'), undefined)

    await rows.setClosed({ state: 'incomplete', place: 'elsewhere' })
    const incomplete = { category: 'unavailable', code: 'import_under_way' }
    await t.rejects(runs.appendLog('run_1', [piece], { bytes: 9, pieces: 9 }), incomplete)
    await runs.setPaused(true)
    t.equal(await runs.isPaused(), true, 'the copy sets it')
    await rows.setClosed(undefined)
    t.match(await multiServer.runs.acquireLease({ seconds: 60, at: AT }), { name: 'executor' }, 'no turn was left over')
  })

  t.test('closing a board for changes waits for output that is being stored, so a copy has it', async t => {
    const address = await cluster.emptyBoard(t)
    const [store, connection] = [await openPostgresBoardStore(address), await Connection.open(address, 'test')]
    t.teardown(() => Promise.all([store.close(), connection.close()]))
    await store.runs.create({ ...QUEUED, id: 'run_1' }, { keep: 9, by: ADA })
    const piece = { at: AT, stream: 'out' as const, text: 'x' }
    const most = { bytes: 9, pieces: 9 }
    const { closing } = await connection.transaction(async () => {
      await appendLog(connection, 'run_1', [piece], most)
      const closing = store.rows.setClosed({ state: 'moved', place: 'elsewhere' })
      const waits = `SELECT FROM pg_locks WHERE NOT granted AND relation = '${address.schema}.runs'::regclass`
      let isClosed = false
      const marked = closing.then(() => {
        isClosed = true
      })
      while (!isClosed && (await cluster.sql(waits)).length === 0) await sleep(10)
      t.notOk(isClosed)
      return { closing: marked }
    })
    await closing
    t.equal((await store.rows.read('run_log', null)).length, 1)
    await t.rejects(store.runs.appendLog('run_1', [piece], most), { code: 'board_moved' })
  })

  t.test('pending changes are stored before the board is closed, and later ones are refused', async t => {
    const store = await openPostgresBoardStore(await cluster.emptyBoard(t))
    const ids = ['run_1', 'run_2', 'run_3', 'run_4', 'run_5', 'run_6']
    let stored = 0
    const asked = ids.map(async id => {
      await store.runs.create({ ...QUEUED, id }, { keep: 9, by: ADA })
      stored++
    })
    await store.close()
    t.equal(stored, ids.length)
    await Promise.all(asked)
    await t.rejects(store.runs.setPaused(true), { category: 'unavailable', code: 'store_closed' })
  })

  t.test('a schema of a newer release, and one of a ledger, are refused and not changed', async t => {
    const newer = cluster.newAddress()
    await (await openPostgresBoardStore(newer)).close()
    await cluster.sql(`UPDATE ${newer.schema}.schema_version SET version = 99`)
    await t.rejects(openPostgresBoardStore(newer), { category: 'configuration', code: 'store_newer' })
    const ledger = await cluster.emptyLedger(t)
    await (await openPostgresStore({ address: ledger })).close()
    await t.rejects(openPostgresBoardStore(ledger), { category: 'configuration', code: 'store_foreign' })
    await t.rejects(openPostgresStore({ address: newer }), { category: 'configuration', code: 'store_foreign' })
  })

  t.test('cards that two servers create and move concurrently have different places', async t => {
    const address = await cluster.emptyBoard(t)
    const stores = await Promise.all([openPostgresBoardStore(address), openPostgresBoardStore(address)])
    t.teardown(() => Promise.all(stores.map(store => store.close())))
    const at = '2031-05-04T09:00:00.000000Z'
    const column = 'doing'
    const made = { title: 'x', body: '', column, labels: [], assignee: null, links: [], created_at: at, updated_at: at }
    await Promise.all(
      stores.flatMap(({ cards }, server) =>
        [0, 1, 2, 3, 4].map(n =>
          cards.create({ ...made, id: `card_${server}_${n}` }, { position: 0, max: 9, by: ADA }),
        ),
      ),
    ).then(
      () => t.fail('ten cards are more than nine'),
      error => t.match(error, { code: 'board_full' }),
    )
    const { items } = (await stores[0]?.cards.list({}, { limit: 99, after: 0 })) ?? { items: [] }
    t.equal(items.length, 9)
    t.equal(new Set(items.map(({ rank }) => rank)).size, 9)
    const changes = [{ title: 'one' }, { labels: ['two'] }]
    await Promise.all(
      stores.map(({ cards }, server) =>
        cards.update(items[0]?.id ?? '', changes[server] ?? {}, { updatedAt: at, by: ADA }),
      ),
    )
    t.match(await stores[0]?.cards.find(items[0]?.id ?? ''), { title: 'one', labels: ['two'], version: 3 })
  })

  t.test(
    'an executor that lost its lease starts no run, and changes no run that the next holder interrupted',
    async t => {
      const { runs, multiServer } = await openPostgresBoardStore(await cluster.emptyBoard(t)).then(store => {
        t.teardown(() => store.close())
        return store
      })
      const begin = () => multiServer.runs.acquireLease({ seconds: 60, at: AT })
      for (const id of ['run_1', 'run_2']) await runs.create({ ...QUEUED, id }, { keep: 9, by: ADA })
      const first = await begin()
      if (!first) throw new Error('no lease')
      t.equal(await begin(), undefined, 'one at a time')
      t.match(await runs.takeQueued(first), { id: 'run_1' })
      await runs.mark('run_1', 'marker')
      t.equal(await multiServer.runs.renewLease(first, 0), true)
      const second = await begin()
      t.match(await runs.find('run_1'), { state: 'interrupted', finished_at: AT })
      t.match(await runs.find('run_2'), { state: 'queued' })
      t.same(await multiServer.runs.listLeftMarkers(), ['marker'])
      t.match(await runs.update('run_1', { state: 'done', exit_code: 0 }), { state: 'interrupted', exit_code: null })
      t.equal(await multiServer.runs.renewLease(first, 60), false)
      t.equal(await runs.takeQueued(first), undefined)
      await multiServer.runs.releaseLease(first)
      t.match(await runs.takeQueued(second), { id: 'run_2' })
      await multiServer.runs.requestCancel('run_2', ADA)
      await multiServer.runs.requestCancel('run_2', { kind: 'key', name: null })
      t.same(await multiServer.runs.findCancelRequest('run_2'), ADA)
      t.equal(await multiServer.runs.findCancelRequest('run_1'), undefined)
    },
  )
}
