/**
 * A server that is to be killed while a run is under way and another waits. Arguments: the folder of its database.
 * Its run writes the ids of its processes to the file `pids` in the folder `work`.
 */
import { join } from 'node:path'
import { Executor } from '../../../src/board/executor.js'
import { openBoardDatabase } from '../../../src/store/sqlite/board/board-database.js'
import { asyncStore } from '../../../src/store/sqlite/thread/task.js'
import { ADA } from '../actor.js'
import { CARD, program } from '../executor-rig.js'

const [, , home = ''] = process.argv
const { runs } = openBoardDatabase(join(home, 'board.sqlite3'))
let made = 0
const executor = await Executor.open({
  runs: asyncStore(runs),
  findCard: async () => CARD,
  hasToken: async () => true,
  now: () => Date.now() * 1000,
  newId: () => `run_${++made}`,
  newMarker: () => `marker-of-killed-${process.pid}`,
  report: error => {
    throw error
  },
  settings: {
    command: program('hydra', 'stay'),
    timeoutSeconds: 60,
    environment: { PATH: process.env.PATH ?? '' },
    folder: join(home, 'work'),
  },
})
await executor.start(CARD.id, 'real', ADA)
await executor.start(CARD.id, 'mock', ADA)
