import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { AppError } from '../../model/app-error.js'
import type { LedgerBackup } from '../../model/backup.js'
import { timestampOrNull } from '../../model/timestamp.js'
import { checkCopy } from '../../store/sqlite/copy/check-copy.js'
import { makeNewFile } from '../../store/sqlite/files/new-copy.js'
import { removeCopy } from '../../store/sqlite/files/remove-copy.js'

/** The current step of a backup, and the file that grows during it. */
export interface BackupStep {
  name: 'copying' | 'checking' | 'compressing'
  file: string
}

export interface BackupOptions {
  onStep?: (step: BackupStep) => void
  signal?: AbortSignal | undefined
}

/**
 * Writes a backup: a copy of the ledger, checked, and compressed if its name ends with `.gz`. The file gets its final
 * name only when it is complete.
 *
 * @param copyTo makes the copy, to a new file
 * @throws AppError `conflict/file_exists`, `invalid/path_unusable`, `unavailable/store_full`,
 *   `unavailable/store_corrupt`; as `copyTo`; an `AbortError`, and then no file is left
 */
export async function writeBackup(
  path: string,
  copyTo: (path: string) => Promise<void>,
  { onStep = () => {}, signal }: BackupOptions = {},
): Promise<LedgerBackup> {
  const isCompressed = path.endsWith('.gz')
  let facts: Omit<LedgerBackup, 'path' | 'bytes'> | undefined
  await makeNewFile(path, async part => {
    const copy = isCompressed ? `${part}.db` : part
    try {
      onStep({ name: 'copying', file: `${copy}.part` })
      await copyTo(copy)
      onStep({ name: 'checking', file: copy })
      const { events, head, epoch, schemaVersion } = await checkCopy(copy, signal).catch(error => {
        throw toBackupError(error, path)
      })
      facts = { events, head: timestampOrNull(head), epoch, schema_version: schemaVersion }
      if (!isCompressed) return
      onStep({ name: 'compressing', file: part })
      const compressed = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true })
      await pipeline(createReadStream(copy), createGzip(), compressed, { signal })
    } finally {
      if (isCompressed) await removeCopy(copy)
    }
  })
  if (!facts) throw new Error('A backup was finished without a check.')
  return { path, bytes: (await stat(path)).size, ...facts }
}

function toBackupError(error: unknown, path: string): unknown {
  if (!(error instanceof AppError) || error.code !== 'store_corrupt') return error
  const { category, code, message } = error
  return new AppError(category, code, `The copy for ${path} was refused. ${message}`, {
    hint: 'The ledger may be damaged as well: stop the server and run `daybook ledger status --check`.',
    cause: error,
  })
}
