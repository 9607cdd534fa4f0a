import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openBoardDatabase } from '../../../../src/store/sqlite/board/board-database.js'
import { SqliteRunStore } from '../../../../src/store/sqlite/board/run-store.js'
import { copyClosedDatabase, Database } from '../../../../src/store/sqlite/files/database.js'
import { ADA } from '../../../board/actor.js'
import { queuedRun } from '../../../support/run.js'
import { testFolder } from '../../../support/test-folder.js'

const AT = '2031-05-04T09:00:00.000000Z'
const MAX = 5_000

function cardOf(id: string, body = '') {
  const members = { title: id, body, column: 'backlog', labels: [], assignee: null, links: [] }
  return { id, ...members, created_at: AT, updated_at: AT }
}

function openIn(t: Test, path: string) {
  const database = openBoardDatabase(path)
  t.teardown(() => database.close())
  return database
}

t.test('committed rows are there after the database is opened again', async t => {
  const path = join(testFolder(t), 'board.sqlite3')
  const first = openBoardDatabase(path)
  first.cards.create(cardOf('card_1'), { max: MAX, by: ADA })
  first.runs.setPaused(true)
  first.close()
  const second = openIn(t, path)
  t.equal(second.cards.count(), 1)
  t.equal(second.runs.isPaused(), true)
})

t.test('a run whose end could not be stored is not started a second time', async t => {
  const path = join(testFolder(t), 'board.sqlite3')
  const board = openBoardDatabase(path)
  board.cards.create(cardOf('card_1'), { max: MAX, by: ADA })
  board.close()
  const database = new Database(path, { noun: 'board', refuseForeign: () => {} })
  t.teardown(() => database.close())
  const runs = new SqliteRunStore(database)
  runs.create(queuedRun({ mode: 'real', created_at: AT }), { keep: 9, by: ADA })
  t.match(runs.takeQueued(), { id: 'run_1' })
  database.exec(`
    CREATE TRIGGER full BEFORE INSERT ON card_history WHEN NEW.action <> 'run_started'
    BEGIN SELECT RAISE(ABORT, 'no room'); END`)
  t.throws(() => runs.update('run_1', { state: 'done', finished_at: AT }), /no room/)
  t.match(runs.find('run_1'), { state: 'queued' })
  t.equal(runs.takeQueued(), undefined)
  database.exec('DROP TRIGGER full')
  t.match(runs.update('run_1', { state: 'done', finished_at: AT }), { state: 'done' })
})

t.test('a damaged file is reported and not changed', async t => {
  const path = join(testFolder(t), 'board.sqlite3')
  const garbage = Buffer.alloc(40_000, 'not a database ')
  writeFileSync(path, garbage)
  t.throws(() => openBoardDatabase(path), { category: 'unavailable', code: 'store_corrupt', message: /board database/ })
  t.ok(readFileSync(path).equals(garbage))
})

t.test('the database of another program is refused and not changed', async t => {
  const path = join(testFolder(t), 'board.sqlite3')
  const other = new Database(path, { noun: 'other', refuseForeign: () => {} })
  other.exec('CREATE TABLE accounts (id INTEGER)')
  other.close()
  const before = readFileSync(path)
  t.throws(() => openBoardDatabase(path), {
    category: 'configuration',
    code: 'store_foreign',
    message: /not a board: .*"accounts".*BOARD_HOME/,
  })
  t.ok(readFileSync(path).equals(before))
})

t.test('a copy has the rows that were committed when it began, even while cards are written', async t => {
  const folder = testFolder(t)
  const database = openIn(t, join(folder, 'board.sqlite3'))
  const body = 'x'.repeat(60_000)
  for (let n = 0; n < 80; n++) database.cards.create(cardOf(`card_${n}`, body), { max: MAX, by: ADA })
  const copies = ['a', 'b'].map(name => database.copyTo(join(folder, `copy-${name}.sqlite3`)))
  let done = false
  const both = Promise.all(copies).finally(() => {
    done = true
  })
  let written = 0
  while (!done) {
    database.cards.create(cardOf(`late_${written++}`, body), { max: MAX, by: ADA })
    await new Promise(resolve => setImmediate(resolve))
  }
  await both
  t.ok(written > 0)
  for (const name of ['a', 'b']) {
    const path = join(folder, `copy-${name}.sqlite3`)
    t.equal(statSync(path).mode & 0o777, 0o600)
    const copy = new Database(path, { noun: 'copy', refuseForeign: () => {} })
    t.same(copy.all('PRAGMA integrity_check'), [{ integrity_check: 'ok' }])
    copy.close()
    const { cards } = openIn(t, path)
    t.ok(cards.count() >= 80)
    t.same(cards.find('card_79'), database.cards.find('card_79'))
  }
  t.equal(database.cards.count(), 80 + written)
  t.notOk(readdirSync(folder).some(name => name.endsWith('.part')))
})

t.test('a copy overwrites no file', async t => {
  const folder = testFolder(t, { taken: 'mine' })
  mkdirSync(join(folder, 'folder'))
  symlinkSync(join(folder, 'nowhere'), join(folder, 'link'))
  const database = openIn(t, join(folder, 'board.sqlite3'))
  const exists = { category: 'conflict', code: 'file_exists' }
  for (const name of ['taken', 'folder', 'link', 'board.sqlite3']) {
    await t.rejects(database.copyTo(join(folder, name)), exists, name)
  }
  t.equal(readFileSync(join(folder, 'taken'), 'utf8'), 'mine')
  t.notOk(existsSync(join(folder, 'nowhere')))
  const unusable = { category: 'invalid', code: 'path_unusable' }
  for (const name of ['missing/copy', 'taken/copy', 'x'.repeat(300)]) {
    await t.rejects(database.copyTo(join(folder, name)), unusable, name)
  }
  database.cards.create(cardOf('card_1'), { max: MAX, by: ADA })
})

t.test('a copy that is interrupted by the end of the server leaves no file', async t => {
  const folder = testFolder(t)
  const database = openBoardDatabase(join(folder, 'board.sqlite3'))
  for (let n = 0; n < 100; n++) database.cards.create(cardOf(`card_${n}`, 'x'.repeat(60_000)), { max: MAX, by: ADA })
  let ended = false
  const copy = database.copyTo(join(folder, 'copy.sqlite3')).finally(() => {
    ended = true
  })
  const hasBegun = () => readdirSync(folder).includes('copy.sqlite3.part')
  while (!ended && !hasBegun()) await new Promise(resolve => setImmediate(resolve))
  database.close()
  await t.rejects(copy, { category: 'unavailable', code: 'stopping' })
  await t.rejects(database.copyTo(join(folder, 'copy.sqlite3')), { code: 'stopping' })
  t.same(readdirSync(folder), ['board.sqlite3'])
})

t.test('a closed database with any content is copied', async t => {
  const folder = testFolder(t)
  const path = join(folder, 'board.sqlite3')
  const database = openBoardDatabase(path)
  database.cards.create(cardOf('card_1'), { max: MAX, by: ADA })
  database.close()
  await copyClosedDatabase(path, join(folder, 'copy.sqlite3'), { noun: 'board' })
  t.same(openIn(t, join(folder, 'copy.sqlite3')).cards.find('card_1')?.id, 'card_1')
})
