import { BACKUP_LIMITS } from '../../model/backup.js'
import { BackupRequestSchema, type BoardDatabaseName } from '../../model/board/board-backup.js'
import { schemaCheck } from '../../model/schema-check.js'
import { json } from '../answer/reply.js'
import { closeSignal } from '../answer/slow-reader.js'
import { documented, type RouteDoc } from '../http/route.js'
import { readBackup } from '../request/backup-body.js'
import type { ReadJsonBody } from '../request/body.js'
import type { BoardEndpoint } from './board-route.js'

/**
 * Each makes a consistent copy.
 *
 * @throws AppError `conflict/file_exists`, `invalid/path_unusable`, `unavailable/…`; an `AbortError`, and then no file is left
 */
export type CopyBoardDatabase = Readonly<
  Record<BoardDatabaseName, (path: string, signal: AbortSignal) => Promise<void>>
>

export interface BackupRouteParts {
  copy: CopyBoardDatabase
  readJsonBody: ReadJsonBody
}

const check = schemaCheck(BackupRequestSchema)

/** `POST /api/backups`: for a command on this machine, which has the permission to read the file anyway. */
export function makeBackup({ copy, readJsonBody }: BackupRouteParts): BoardEndpoint {
  return documented(DOC, async (req, res) => {
    const request = readBackup(check, await readJsonBody(req, res, BACKUP_LIMITS.requestBytes))
    await copy[request.of](request.path, closeSignal(res))
    return json(201, request)
  })
}

const DOC: RouteDoc = {
  summary: 'Copies a database; for commands on this machine, over the socket of the process that owns the board',
  description: 'The copy is consistent, and made while the board is served.',
  body: { 'application/json': BackupRequestSchema },
  answers: { 201: { description: 'Copied', schema: BackupRequestSchema } },
}
