import { join } from 'node:path'
import t from 'tap'
import { openBoardDatabase } from '../../../../src/store/sqlite/board/board-database.js'
import { openSessionDatabase } from '../../../../src/store/sqlite/board/session-database.js'
import { asyncStore } from '../../../../src/store/sqlite/thread/task.js'
import { testFolder } from '../../../support/test-folder.js'
import { boardSessionConformance } from '../../board/board-session-conformance.js'
import { cardHistoryConformance } from '../../board/card-history-conformance.js'
import { cardStoreConformance } from '../../board/card-store-conformance.js'
import type { OpenBoardStore } from '../../board/open-board-store.js'
import { runStoreConformance } from '../../board/run-store-conformance.js'

const open: OpenBoardStore = async t => {
  const folder = testFolder(t)
  const { cards, runs, history, rows, close } = openBoardDatabase(join(folder, 'board.sqlite3'))
  t.teardown(close)
  const onCorrupt = (kept: string) => t.fail(kept)
  const { sessions, close: closeSessions } = openSessionDatabase(join(folder, 'sessions.sqlite3'), { onCorrupt })
  t.teardown(closeSessions)
  return {
    cards: asyncStore(cards),
    runs: asyncStore(runs),
    history: asyncStore(history),
    rows: asyncStore(rows),
    sessions: { ...asyncStore(sessions), salt: sessions.salt },
  }
}

cardStoreConformance(t, open, 60)
runStoreConformance(t, open, 60)
cardHistoryConformance(t, open)
boardSessionConformance(t, open)
