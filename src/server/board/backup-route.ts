import { isAbsolute } from 'node:path'
import { Compile } from '#typebox/compile'
import { invalidField, refusedInput } from '../../model/app-error.js'
import {
  BACKUP_LIMITS,
  type BackupRequest,
  BackupRequestSchema,
  type BoardDatabaseName,
} from '../../model/board/board-backup.js'
import { toFieldProblems } from '../../model/field-problems.js'
import type { ReadJsonBody } from '../json-body.js'
import { json } from '../reply.js'
import type { RouteDoc } from '../route.js'
import type { BoardHandler } from './board-route.js'

/** Each makes a consistent copy. @throws AppError `conflict/file_exists`, `invalid/path_unusable`, `unavailable/…` */
export type CopyBoardDatabase = Readonly<Record<BoardDatabaseName, (path: string) => Promise<void>>>

const check = Compile(BackupRequestSchema)

/** `POST /api/backups`: copies a database for a command beside this server, which could read the file anyway. */
export function makeBackup(copy: CopyBoardDatabase, readJsonBody: ReadJsonBody): BoardHandler {
  return async (req, res) => {
    const request = readRequest(await readJsonBody(req, res, BACKUP_LIMITS.requestBytes))
    await copy[request.of](request.path)
    return json(201, request)
  }
}

function readRequest(input: unknown): BackupRequest {
  if (!check.Check(input)) throw refusedInput('The backup', toFieldProblems(check.Errors(input), input))
  if (!isAbsolute(input.path)) throw invalidField('/path', '/path must be an absolute path.')
  return input
}

/** What the API description says of the route. */
export const BACKUP_DOC = {
  summary: 'Copies a database; for commands on this machine, over the socket of the process that owns the board',
  body: { 'application/json': BackupRequestSchema },
  answers: { 201: { description: 'Copied', schema: BackupRequestSchema } },
} satisfies RouteDoc
