import { resolve } from 'node:path'
import { BoardClient } from '../client/board-client.js'
import { AppError } from '../model/app-error.js'
import type { BackupRequest, BoardDatabaseName } from '../model/board/board-backup.js'
import type { BoardSettings } from '../settings/board/board-settings.js'
import { copyClosedDatabase } from '../store/sqlite/files/database.js'
import { acquireOwnership } from '../store/sqlite/owner/database-lock.js'
import { copyViaServer } from './copy-via-server.js'
import { OWNER_WAIT_MS } from './lost-ownership.js'
import { boardNotAFile } from './not-a-file.js'
import { boardFiles } from './open-board.js'
import { sizeOf, viaServerOrFile } from './via-server-or-file.js'

const NOUNS: Record<BoardDatabaseName, string> = { sessions: 'session', cards: 'board' }

/**
 * Makes a consistent copy of a database of the board: through the server that has it open, else through its file.
 *
 * @param path of a file that does not exist yet; a relative one is resolved against the current folder
 * @returns what was copied, and the absolute path of the copy
 * @throws AppError `configuration/board_not_a_file`, `not_found/board_missing`, `conflict/file_exists`, `invalid/path_unusable`,
 *   `unavailable/outcome_unknown`, `unavailable/store_…`, `conflict/ledger_owned`
 *
 * Source: Board Access Gate, "Versioning", rollout rules; decisions on the board, section 7, "Owner".
 */
export async function backUpBoard(
  { home, postgres }: Pick<BoardSettings, 'home' | 'postgres'>,
  path: string,
  of: BoardDatabaseName,
  signal?: AbortSignal,
): Promise<BackupRequest> {
  if (postgres) throw boardNotAFile()
  const files = boardFiles(home)
  const database = files[of]
  await requireDatabase(database)
  const request = { path: resolve(path), of }
  await viaServerOrFile(files.cards, {
    server: (_, socketPath) =>
      copyViaServer(request.path, {
        probe: () => new BoardClient({ socketPath }).cards({ limit: '1' }),
        copy: idleSeconds =>
          new BoardClient({ socketPath }, { idleSeconds }).backup(JSON.stringify(request), signal && { signal }),
      }),
    file: () => copyFile(database, request, signal),
  })
  return request
}

/** @throws AppError `not_found/board_missing` */
export async function requireDatabase(path: string): Promise<void> {
  if ((await sizeOf(path)) > 0) return
  throw new AppError('not_found', 'board_missing', `There is no database at ${path}.`, {
    hint: '`daybook serve` creates a board; BOARD_HOME names its folder.',
  })
}

async function copyFile(database: string, { path, of }: BackupRequest, signal?: AbortSignal): Promise<void> {
  const ownership = await acquireOwnership({
    database,
    role: 'command',
    waitMs: OWNER_WAIT_MS,
    now: Date.now,
    random: Math.random,
    // A copy changes nothing. If another process takes the file over, the copy either fails or is complete.
    onLost: () => {},
  })
  try {
    await copyClosedDatabase(ownership.database, path, { noun: NOUNS[of], signal })
  } finally {
    await ownership.release()
  }
}
