import { resolve } from 'node:path'
import { BoardClient } from '../client/board-client.js'
import { AppError } from '../model/app-error.js'
import type { BackupRequest, BoardDatabaseName } from '../model/board/board-backup.js'
import type { BoardSettings } from '../settings/board/board-settings.js'
import { copyClosedDatabase } from '../store/sqlite/files/database.js'
import { copyViaServer } from './copy-via-server.js'
import { boardNotAFile } from './not-a-file.js'
import { boardFiles } from './open-board.js'
import { whileOwned } from './ownership.js'
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
    file: () => whileOwned(database, owned => copyClosedDatabase(owned, request.path, { noun: NOUNS[of], signal })),
  })
  return request
}

/** @throws AppError `not_found/board_missing` */
export async function requireDatabase(path: string): Promise<void> {
  if ((await sizeOf(path)) > 0) return
  throw new AppError('not_found', 'board_missing', `There is no database at ${path}.`, {
    hint: '`daybook serve` creates a board. Check the path, or BOARD_HOME, which names its folder.',
  })
}
