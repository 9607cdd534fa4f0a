import { join } from 'node:path'
import type { Test } from 'tap'
import { Cards } from '../../src/board/cards.js'
import { DEFAULT_COLUMNS } from '../../src/model/board/card.js'
import { type BoardDatabase, openBoardDatabase } from '../../src/store/sqlite/board/board-database.js'
import { asyncStore } from '../../src/store/sqlite/thread/task.js'
import { testFolder } from '../support/test-folder.js'

/** 2031-05-04T09:00:00Z */
const START = 1_935_651_600_000_000

interface CardsRig {
  cards: Cards
  database: BoardDatabase
  /** The same cards on a board with other columns. */
  withColumns(columns: readonly string[]): Cards
}

interface CardsRigOptions {
  columns?: readonly string[]
  /** The folder of the board's files; default: a folder of the test. */
  home?: string
}

/** The cards of a new board. Each reading of the clock is a second later. */
export function cardsRig(t: Test, { columns = DEFAULT_COLUMNS, home = testFolder(t) }: CardsRigOptions = {}): CardsRig {
  const database = openBoardDatabase(join(home, 'board.sqlite3'))
  t.teardown(() => database.close())
  let seconds = 0
  let made = 0
  const now = () => START + seconds++ * 1_000_000
  const newCardId = () => `card_${String(++made).padStart(16, '0')}`
  const withColumns = (columns: readonly string[]) =>
    new Cards({ store: asyncStore(database.cards), history: asyncStore(database.history), columns, now, newCardId })
  return { cards: withColumns(columns), database, withColumns }
}
