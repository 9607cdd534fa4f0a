import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openBoardDatabase } from '../../../../src/store/sqlite/board/board-database.js'
import { openBoardStore } from '../../../../src/store/sqlite/board/board-store.js'
import { ADA } from '../../../board/actor.js'
import { testFolder } from '../../../support/test-folder.js'

const AT = '2031-05-04T09:00:00.000000Z'
const CARD = { title: 'One', body: '', column: 'doing', labels: ['a'], assignee: null, links: [] }
const toCard = (id: string) => ({ ...CARD, id, created_at: AT, updated_at: AT })

function filesIn(t: Test) {
  const folder = testFolder(t)
  return {
    folder,
    cards: { path: join(folder, 'board.sqlite3') },
    sessions: { path: join(folder, 'sessions.sqlite3') },
  }
}

const unexpected = (error: unknown) => {
  throw error
}

t.test('cards, runs and sessions are read across the thread, and errors keep their code and message', async t => {
  const store = await openBoardStore(filesIn(t), { onFailure: unexpected })
  t.match(await store.cards.create(toCard('card_1'), { max: 1, by: ADA }), { rank: 1, version: 1 })
  await t.rejects(store.cards.create(toCard('card_2'), { max: 1, by: ADA }), {
    category: 'conflict',
    code: 'board_full',
  })
  t.match(await store.cards.find('card_1'), CARD)
  t.equal(await store.cards.find('card_2'), undefined)
  t.equal(await store.runs.isPaused(), false)
  const session = { digest: 'of a token', key: 'of a key', expiresAt: 2 }
  t.equal(await store.sessions.add(session, { now: 1, max: 1 }), true)
  t.equal(await store.sessions.isLive('of a token', 'of a key', 1), true)
  t.match(store.sessions.salt, /^[0-9a-f]{32}$/)
  t.equal(await store.checkWritable(), undefined, 'both files can be written')
  t.same(await store.cards.countByColumn(), [['doing', 1]])
  t.same(await store.runs.countByState(), [])
  await store.close()
  await t.rejects(store.cards.count(), { code: 'store_closed', message: 'The board is closed.' })
})

t.test('a copy that completes before it is stopped leaves no file', async t => {
  const files = filesIn(t)
  const store = await openBoardStore(files, { onFailure: unexpected })
  t.teardown(() => store.close())
  const path = join(files.folder, 'copy.sqlite3')
  const stop = new AbortController()
  const copied = store.copies.cards(path, stop.signal)
  // The thread completes the copy, but this one cannot receive its answer before it stops the copy.
  const clock = new Int32Array(new SharedArrayBuffer(4))
  while (!statSync(path, { throwIfNoEntry: false })?.size) Atomics.wait(clock, 0, 0, 1)
  stop.abort(new Error('stopped'))
  await t.rejects(copied, { message: 'stopped' })
  t.notOk(existsSync(path))
})

t.test('requests are carried out in order, and before the store closes', async t => {
  const files = filesIn(t)
  const store = await openBoardStore(files, { onFailure: unexpected })
  const asked = ['card_1', 'card_2', 'card_3'].map(id => store.cards.create(toCard(id), { max: 9, by: ADA }))
  const copied = store.copies.cards(join(files.folder, 'copy.sqlite3')).catch((error: unknown) => error)
  await store.close()
  t.match(await Promise.all(asked), [{ rank: 1 }, { rank: 2 }, { rank: 3 }])
  const outcome = await copied
  t.ok(outcome === undefined || (outcome as { code: string }).code === 'stopping', 'a copy is complete, or it fails')
  t.equal(existsSync(join(files.folder, 'copy.sqlite3')), outcome === undefined)
  t.notOk(existsSync(`${files.cards.path}.lock`))
  const database = openBoardDatabase(files.cards.path)
  t.equal(database.cards.count(), 3)
  database.close()
})

t.test('a stopped copy leaves no file, and the next one is complete', async t => {
  const files = filesIn(t)
  const store = await openBoardStore(files, { onFailure: unexpected })
  for (const of of ['cards', 'sessions'] as const) {
    const path = join(files.folder, `${of}.copy`)
    const stop = new AbortController()
    const stopped = store.copies[of](path, stop.signal)
    stop.abort()
    await t.rejects(stopped, { name: 'AbortError' })
    t.notOk(existsSync(path) || existsSync(`${path}.part`))
    await store.copies[of](path, new AbortController().signal)
    t.ok(existsSync(path))
  }
  await store.close()
})

t.test('a file that is not a board is refused, and no file stays open', async t => {
  const files = filesIn(t)
  writeFileSync(files.cards.path, 'This is no database. '.repeat(1_000))
  await t.rejects(openBoardStore(files, { onFailure: unexpected }), { code: 'store_corrupt' })
  t.notOk(existsSync(`${files.cards.path}.lock`))
})

t.test('damaged sessions are moved, and the new path is reported', async t => {
  const files = filesIn(t)
  writeFileSync(files.sessions.path, 'This is no database. '.repeat(1_000))
  const store = await openBoardStore(files, { onFailure: unexpected })
  t.match(store.putAside, /sessions\.sqlite3\.corrupt-\d+$/)
  t.equal(await store.sessions.count(), 0)
  await store.close()
})

t.test('after a file of the board is removed, every request is refused, and the rows are saved beside it', async t => {
  const files = filesIn(t)
  const reports: string[] = []
  const failures: unknown[] = []
  const store = await openBoardStore(files, {
    onFailure: error => failures.push(error),
    onLost: (_, database) => reports.push(database),
  })
  await store.cards.create(toCard('card_1'), { max: 1, by: ADA })
  rmSync(files.cards.path)
  const lost = { code: 'ledger_lost', message: /board\.sqlite3 is gone/ }
  await t.rejects(store.cards.create(toCard('card_2'), { max: 9, by: ADA }), lost)
  await t.rejects(store.close(), { ...lost, message: /All that was acknowledged is in/ })
  t.same(reports, [files.cards.path])
  t.match(failures, [lost])
  t.ok(readdirSync(files.folder).some(name => name.startsWith('board.sqlite3.rescued-')))
})
