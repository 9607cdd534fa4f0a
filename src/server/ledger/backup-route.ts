import type { Identity } from '../../accounts/identity.js'
import { BACKUP_LIMITS, LedgerCopySchema } from '../../model/backup.js'
import { schemaCheck } from '../../model/schema-check.js'
import { json } from '../answer/reply.js'
import { closeSignal } from '../answer/slow-reader.js'
import { documented, type Endpoint, type RouteDoc } from '../http/route.js'
import { readBackup } from '../request/backup-body.js'
import type { ReadJsonBody } from '../request/body.js'

/**
 * Makes a consistent copy.
 *
 * @throws AppError `conflict/file_exists`, `invalid/path_unusable`, `unavailable/…`; an `AbortError`, and then no file is left
 */
export type CopyLedger = (path: string, signal: AbortSignal) => Promise<void>

interface LedgerBackupParts {
  copyTo: CopyLedger
  readJsonBody: ReadJsonBody
}

const check = schemaCheck(LedgerCopySchema)

/** `POST /api/backups`: for a command on this machine, which has the permission to read the file anyway. */
export function copyLedger({ copyTo, readJsonBody }: LedgerBackupParts): Endpoint<Identity> {
  return documented(DOC, async (req, res) => {
    const request = readBackup(check, await readJsonBody(req, res, BACKUP_LIMITS.requestBytes))
    await copyTo(request.path, closeSignal(res))
    return json(201, request)
  })
}

const DOC: RouteDoc = {
  summary: 'Copies the ledger; for commands on this machine, over the socket of the process that owns it',
  description: 'The copy is consistent, and made while events are recorded.',
  body: { 'application/json': LedgerCopySchema },
  answers: { 201: { description: 'Copied', schema: LedgerCopySchema } },
}
