import { AppError } from '../../../model/app-error.js'
import { type CopyStore, type ImportMark, type MovedMark, notFollowing } from '../../copy-store.js'
import type { Connection } from '../connection/connection.js'
import type { Pool } from '../connection/pool.js'
import { readCopyPage } from '../read/copy-page.js'
import { writeCopies } from '../write/event-copies.js'
import { readState, writeState } from './ledger-state.js'
import { findPromotion, readMovedState, writeMovedState } from './moved-state.js'
import { HOLD_VERSION } from './subscription-tasks.js'

const FIND_MARK = /* sql */ `SELECT value FROM meta WHERE name = 'import'`
const SAVE_MARK = /* sql */ `
  INSERT INTO meta (name, value) VALUES ('import', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
const DELETE_MARK = /* sql */ `DELETE FROM meta WHERE name = 'import'`
const SET_EPOCH = /* sql */ `UPDATE meta SET value = $1 WHERE name = 'epoch'`
/** Servers that have the ledger open record nothing until it is complete. */
const SET_STATE = /* sql */ `UPDATE ledger_clock SET state = $1`

/** Every change of these tables locks its table before it reads the state of the ledger. */
const HOLD_OTHERS = /* sql */ `LOCK TABLE consumers, users, api_tokens, sources, notes IN EXCLUSIVE MODE`

const FIND_MOVED = /* sql */ `SELECT value FROM meta WHERE name = 'moved'`
const SAVE_MOVED = /* sql */ `
  INSERT INTO meta (name, value) VALUES ('moved', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
const DELETE_MOVED = /* sql */ `DELETE FROM meta WHERE name = 'moved'`

/** The methods of `CopyStore`, in the order of the contract. */
export function copyTasks(pool: Pool): CopyStore {
  return {
    read: range => pool.use(connection => readCopyPage(connection, range)),
    write: step => pool.use(connection => writeCopies(connection, step)),
    findMark: async () => {
      const [row] = await pool.run(FIND_MARK)
      return row ? (JSON.parse(String(row.value)) as ImportMark) : null
    },
    saveMark: (mark, epoch) => pool.transaction(connection => saveMark(connection, mark, epoch)),
    findMoved: async () => {
      const [row] = await pool.run(FIND_MOVED)
      return row ? (JSON.parse(String(row.value)) as MovedMark) : null
    },
    saveMoved: mark => pool.transaction(connection => saveMoved(connection, mark)),
    readState: deadLetters => pool.use(connection => readState(connection, deadLetters)),
    writeState: state => pool.use(connection => writeState(connection, state)),
    readMovedState: () => pool.use(readMovedState),
    writeMovedState: state => pool.use(connection => writeMovedState(connection, state)),
    findFollow: async () => ({ mark: null, promotion: await findPromotion(pool) }),
    beginFollow: () => Promise.reject(followsByReplication()),
    promote: () => Promise.reject(notFollowing()),
  }
}

async function saveMark(connection: Connection, mark: ImportMark | null, epoch: string | undefined): Promise<void> {
  await connection.run(SET_STATE, mark ? 'importing' : 'open')
  if (mark) await connection.run(SAVE_MARK, JSON.stringify(mark))
  else await connection.run(DELETE_MARK)
  if (epoch !== undefined) await connection.run(SET_EPOCH, epoch)
}

/** All changes that other servers have begun end first; every later change finds the new state. */
async function saveMoved(connection: Connection, mark: MovedMark | null): Promise<void> {
  await connection.run(SET_STATE, mark ? 'moved' : 'open')
  await connection.run(HOLD_VERSION)
  await connection.run(HOLD_OTHERS)
  if (mark) await connection.run(SAVE_MOVED, JSON.stringify(mark))
  else await connection.run(DELETE_MOVED)
}

function followsByReplication(): AppError {
  const message = 'A ledger in PostgreSQL does not follow another ledger.'
  return new AppError('configuration', 'following_unsupported', message, {
    hint: 'Follow with a ledger in a file, or let PostgreSQL replicate the database.',
  })
}
