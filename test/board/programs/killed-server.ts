/**
 * A server that is to be killed while a run is in progress and another waits. Arguments: its folder, and the address of its
 * database in PostgreSQL; without one, the database is a file in the folder. Its run writes the ids of its processes to the
 * file `pids` in the folder `work`.
 */
import { join } from 'node:path'
import { Executor, type ExecutorParts } from '../../../src/board/executor.js'
import { findBoard } from '../../../src/settings/board/board-settings.js'
import { openPostgresBoardStore } from '../../../src/store/postgres/board/board-store.js'
import { openBoardDatabase } from '../../../src/store/sqlite/board/board-database.js'
import { asyncStore } from '../../../src/store/sqlite/thread/task.js'
import { memorySources } from '../../settings/memory-sources.js'
import { ADA } from '../actor.js'
import { CARD, program } from '../executor-rig.js'

const [, , home = '', address] = process.argv
let made = 0
const executor = await Executor.open({
  ...(await openRuns()),
  findCard: async () => CARD,
  hasToken: async () => true,
  now: () => Date.now() * 1000,
  newId: () => `run_${++made}`,
  newMarker: () => `marker-of-killed-${process.pid}`,
  report: error => {
    throw error
  },
  settings: {
    command: program('persistent-processes', 'stay'),
    timeoutSeconds: 60,
    environment: { PATH: process.env.PATH ?? '' },
    folder: join(home, 'work'),
  },
})
await executor.start(CARD.id, 'real', ADA)
await executor.start(CARD.id, 'mock', ADA)

async function openRuns(): Promise<Pick<ExecutorParts, 'runs' | 'multiServer'>> {
  if (address === undefined) return { runs: asyncStore(openBoardDatabase(join(home, 'board.sqlite3')).runs) }
  const { postgres } = findBoard(memorySources({ env: { BOARD_DB: address } }))
  if (!postgres) throw new Error('not an address of PostgreSQL')
  const { runs, multiServer } = await openPostgresBoardStore(postgres)
  return { runs, multiServer: multiServer.runs }
}
