import { resolve } from 'node:path'
import { BoardClient } from '../client/board-client.js'
import { AppError } from '../model/app-error.js'
import type { BackupRequest, BoardDatabaseName } from '../model/board/board-backup.js'
import { copyClosedDatabase } from '../store/sqlite/copy-closed-database.js'
import { acquireOwnership } from '../store/sqlite/owner.js'
import { boardFiles } from './open-board.js'
import { sizeOf } from './reach-ledger.js'
import { reachOwner } from './reach-owner.js'

/** How long to wait for another command that has the file open at this moment. */
const WAIT_MS = 10_000
/** A server is silent while it copies, which takes as long as the file is large. */
const COPY_SECONDS = 600

const NOUNS: Record<BoardDatabaseName, string> = { sessions: 'session', cards: 'board' }

/**
 * Makes a consistent copy of a database of the board: in the server that has it open, else by opening it.
 *
 * @param home the board's folder
 * @param path of a file that is not there yet; relative ones are seen from the current folder
 * @returns what was copied, and where it is
 * @throws AppError `not_found/board_missing`, `conflict/file_exists`, `invalid/path_unusable`,
 *   `unavailable/outcome_unknown`, `unavailable/store_…`, `conflict/ledger_owned`
 *
 * Source: Board Access Gate, "Versioning", rollout rules; decisions on the board, section 7, "Owner".
 */
export async function backUpBoard(home: string, path: string, of: BoardDatabaseName): Promise<BackupRequest> {
  const files = boardFiles(home)
  const database = files[of]
  if ((await sizeOf(database)) === 0) {
    throw new AppError('not_found', 'board_missing', `There is nothing to copy at ${database}.`, {
      hint: '`daybook serve` makes a board; BOARD_HOME says where it is.',
    })
  }
  const request = { path: resolve(path), of }
  await reachOwner(files.cards, {
    throughServer: (_, socketPath) => throughServer(socketPath, request),
    throughFile: () => throughFile(database, request),
  })
  return request
}

async function throughServer(socketPath: string, request: BackupRequest): Promise<void> {
  try {
    // Shows soon that the server is suspended, where the copy may take long.
    await new BoardClient({ socketPath }).cards({ limit: '1' })
    await new BoardClient({ socketPath }, { idleSeconds: COPY_SECONDS }).backup(JSON.stringify(request))
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== 'connection_lost') throw cause
    const detail = `The server ended before it answered, so ${request.path} may be a copy or not.`
    throw new AppError('unavailable', 'outcome_unknown', detail, { hint: 'Remove it and try again.', cause })
  }
}

async function throughFile(database: string, { path, of }: BackupRequest): Promise<void> {
  // What SQLite makes beside the file is for its owner alone.
  process.umask(0o077)
  const ownership = await acquireOwnership({
    ...{ database, role: 'command', waitMs: WAIT_MS, now: Date.now, random: Math.random },
    // A copy changes nothing: whoever takes the file over meanwhile makes it fail, or finds it as it was.
    onLost: () => {},
  })
  try {
    await copyClosedDatabase(ownership.database, path, NOUNS[of])
  } finally {
    await ownership.release()
  }
}
