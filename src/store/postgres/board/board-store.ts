import { randomBytes } from 'node:crypto'
import type { PostgresAddress } from '../../../model/postgres-address.js'
import type { BoardStore, MultiServerBoard } from '../../board-store.js'
import { reuseRecent } from '../../reuse-recent.js'
import { DatabaseClock, NOW_US } from '../connection/database-clock.js'
import { Listener } from '../connection/listener.js'
import { Pool } from '../connection/pool.js'
import { readSizeBytes } from '../read/statistics.js'
import { leaseTasks } from '../tasks/leases.js'
import { loginFailures } from '../tasks/login-failures.js'
import { migrate } from '../upgrade/migrate.js'
import { refuseClosed } from './board-lock.js'
import { BOARD_MIGRATIONS } from './board-migrations.js'
import { boardRows } from './board-rows.js'
import { cardHistory } from './card-history.js'
import { cardStore } from './card-store.js'
import { multiServerRuns } from './multi-server-runs.js'
import { runStore } from './run-store.js'
import { sessionStore } from './session-store.js'

/** A board in a PostgreSQL database, which any number of servers may have open. */
interface PostgresBoardStore extends BoardStore {
  readonly multiServer: MultiServerBoard
}

const PROBE = /* sql */ `UPDATE board SET probe = probe + 1 RETURNING closed`
const SALT = /* sql */ `SELECT value FROM meta WHERE name = 'salt'`
const CLOCK = /* sql */ `SELECT ${NOW_US}`

/**
 * Opens the board in its schema; creates or upgrades the tables if necessary.
 *
 * @throws AppError `unavailable/store_…`, `configuration/store_newer`, `configuration/store_foreign`
 *
 * Source: docs/decisions/0066, 0075.
 */
export async function openPostgresBoardStore(address: PostgresAddress): Promise<PostgresBoardStore> {
  await migrate(address, { noun: 'board', ownTable: 'cards', steps: BOARD_MIGRATIONS })
  const pool = new Pool(address, 'daybook board')
  const salt = String((await pool.run(SALT))[0]?.value)
  const clock = new DatabaseClock()
  clock.set((await pool.run(CLOCK))[0])
  const server = randomBytes(8).toString('hex')
  const notices = { channel: `${address.schema}_runs`, server }
  const listeners = new Set<(id: string | undefined) => void>()
  const notify = (id: string | undefined) => {
    for (const listener of listeners) listener(id)
  }
  let listener: Listener | undefined
  const listen = () => {
    listener ??= new Listener({
      address,
      channel: notices.channel,
      onGap: () => notify(undefined),
      onNotification: payload => {
        const [sender, id] = payload.split(' ')
        if (sender !== server) notify(id || undefined)
      },
      check: async connection => {
        clock.set((await connection.run(CLOCK))[0])
        notify(undefined)
      },
    })
  }
  return {
    cards: cardStore(pool),
    runs: runStore(pool, notices),
    history: cardHistory(pool),
    sessions: sessionStore(pool, salt),
    rows: boardRows(pool),
    multiServer: {
      now: clock.now,
      runs: {
        ...multiServerRuns(pool, { leases: leaseTasks(pool, server), notices }),
        onChange: call => {
          listeners.add(call)
          listen()
        },
      },
      loginFailures: loginFailures(pool),
      sizeBytes: () => readSizeBytes(pool, address.schema),
    },
    checkWritable: reuseRecent(async () => refuseClosed((await pool.run(PROBE))[0])),
    close: async () => {
      await listener?.close()
      await pool.close()
    },
  }
}
