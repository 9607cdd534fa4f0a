import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { LedgerSocketClient } from '../../client/ledger-socket-client.js'
import type { LedgerBackup } from '../../model/backup.js'
import { makeTemporaryFolder } from '../../model/files/temporary-folder.js'
import type { LocalSettings } from '../../settings/local-settings.js'
import { copyClosedDatabase } from '../../store/sqlite/files/database.js'
import { copyViaServer } from '../copy-via-server.js'
import { requireFile } from '../not-a-file.js'
import { whileOwned } from '../ownership.js'
import { ledgerViaServerOrFile, sizeOf } from '../via-server-or-file.js'
import { type BackupOptions, type BackupStep, writeBackup } from './write-backup.js'

/** A step of a backup, and how large the ledger was when it began, in bytes. */
export interface BackupProgress extends BackupStep {
  ledgerBytes: number
}

interface LedgerBackupOptions extends Pick<BackupOptions, 'signal'> {
  onProgress?: ((progress: BackupProgress) => void) | undefined
}

/**
 * Backs the ledger up: through the server that has it open, else through its file. This process does the check and the
 * compression.
 *
 * @param file a relative path is resolved against the current folder; `.gz` at its end compresses
 * @throws AppError `not_found/ledger_missing`, `unavailable/outcome_unknown`, `conflict/ledger_owned`; as `writeBackup`
 */
export async function backUpLedger(
  { database }: LocalSettings,
  file: string,
  { onProgress = () => {}, signal }: LedgerBackupOptions = {},
): Promise<LedgerBackup> {
  requireFile(database)
  const ledgerBytes = await sizeOf(database.path)
  const copyTo = (path: string) =>
    ledgerViaServerOrFile(database, {
      server: (_, socketPath) =>
        copyViaServer(path, {
          probe: () => new LedgerSocketClient({ socketPath }).health(),
          copy: idleSeconds =>
            new LedgerSocketClient({ socketPath }, { idleSeconds }).backup(
              JSON.stringify({ path }),
              signal && { signal },
            ),
        }),
      file: () => whileOwned(database.path, owned => copyClosedDatabase(owned, path, { noun: 'ledger', signal })),
    })
  return writeBackup(resolve(file), copyTo, { onStep: step => onProgress({ ...step, ledgerBytes }), signal })
}

/** Like `backUpLedger`, but writes to a stream, after it has checked a copy in the folder for temporary files. */
export async function backUpLedgerTo(
  stream: NodeJS.WritableStream,
  settings: LocalSettings,
  options: LedgerBackupOptions = {},
): Promise<LedgerBackup> {
  const folder = await makeTemporaryFolder('daybook-backup-')
  try {
    const backup = await backUpLedger(settings, join(folder, 'events.db'), options)
    await pipeline(createReadStream(backup.path), stream, { end: false, signal: options.signal })
    return { ...backup, path: '-' }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
