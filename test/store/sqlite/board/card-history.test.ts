import { join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import t, { type Test } from 'tap'
import { openBoardDatabase } from '../../../../src/store/sqlite/board/board-database.js'
import { ADA } from '../../../board/actor.js'
import { testFolder } from '../../../support/test-folder.js'
import { cardWith } from '../../board/card-history-conformance.js'

const LATER = '2031-05-04T10:00:00.000000Z'
const ALL = { limit: 500, after: null }

function open(t: Test, path = join(testFolder(t), 'board.sqlite3')) {
  const database = openBoardDatabase(path)
  t.teardown(() => database.close())
  return database
}

t.test('a board of an older release keeps its cards, and their history begins with the upgrade', t => {
  const path = join(testFolder(t), 'board.sqlite3')
  const older = openBoardDatabase(path)
  older.cards.create(cardWith('card_1'), { max: 9, by: ADA })
  older.close()
  const connection = new sqlite.Database(path)
  connection.exec('PRAGMA locking_mode = EXCLUSIVE; DROP TABLE card_history; PRAGMA user_version = 1')
  connection.close()
  const { cards, history } = open(t, path)
  t.match(cards.find('card_1'), { title: 'card_1' })
  t.same(history.list('card_1', ALL).items, [])
  cards.update('card_1', { column: 'done' }, { updatedAt: LATER, by: ADA })
  t.match(history.list('card_1', ALL).items, [{ action: 'moved', to: 'done' }])
  t.end()
})
