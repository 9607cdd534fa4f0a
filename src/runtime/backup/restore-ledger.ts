import { createReadStream, createWriteStream } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { AppError } from '../../model/app-error.js'
import type { RestoredLedger } from '../../model/backup.js'
import { timestampOrNull } from '../../model/timestamp.js'
import type { LocalSettings } from '../../settings/local-settings.js'
import { checkCopy } from '../../store/sqlite/copy/check-copy.js'
import { renewEpoch } from '../../store/sqlite/copy/copied-ledger.js'
import { exists, syncFolder } from '../../store/sqlite/files/file-system.js'
import { removeCopy } from '../../store/sqlite/files/remove-copy.js'
import { SCHEMA_VERSION } from '../../store/sqlite/upgrade/ledger-migrations.js'
import { requireFile } from '../not-a-file.js'
import { whileOwned } from '../ownership.js'

/** The first bytes of a compressed file. Source: RFC 1952, 2.3.1. */
const GZIP = Buffer.from([0x1f, 0x8b])

/**
 * Replaces a ledger that no process has open with a backup. The backup is checked first; the replaced ledger is kept
 * next to it under another name. The restored ledger has a new epoch.
 *
 * @param file a backup, compressed or not
 * @throws AppError `not_found/backup_missing`, `invalid/backup_unreadable`, `unavailable/store_corrupt`,
 *   `configuration/store_newer`, `conflict/ledger_owned`, `unavailable/store_full`
 */
export async function restoreLedger({ database }: LocalSettings, file: string): Promise<RestoredLedger> {
  requireFile(database)
  const backup = resolve(file)
  const isCompressed = await hasBytes(backup, GZIP)
  return whileOwned(database.path, async path => {
    const restoring = `${path}.restoring`
    try {
      await removeCopy(restoring)
      const copy = createWriteStream(restoring, { flags: 'wx', mode: 0o600, flush: true })
      if (isCompressed) await pipeline(createReadStream(backup), createGunzip(), copy)
      else await pipeline(createReadStream(backup), copy)
      const { events, head, schemaVersion } = await checkCopy(restoring)
      if (schemaVersion > SCHEMA_VERSION) throw newer(backup, schemaVersion)
      const epoch = renewEpoch(restoring, Date.now())
      const replaced = await moveAside(path)
      await rename(restoring, path)
      syncFolder(dirname(path))
      return { database: path, events, head: timestampOrNull(head), epoch, replaced }
    } catch (error) {
      throw toRestoreError(error, backup)
    } finally {
      await removeCopy(restoring)
    }
  })
}

/** Whether a file begins with these bytes. @throws AppError `not_found/backup_missing`, `invalid/backup_unreadable` */
async function hasBytes(path: string, bytes: Buffer): Promise<boolean> {
  try {
    const file = await open(path)
    try {
      const { buffer } = await file.read(Buffer.alloc(bytes.length), 0, bytes.length, 0)
      return buffer.equals(bytes)
    } finally {
      await file.close()
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT')
      throw new AppError('not_found', 'backup_missing', `There is no backup at ${path}.`, { cause })
    throw unreadable(path, cause)
  }
}

/** Moves the WAL together with its ledger: SQLite must not apply it to another file. @returns the new path */
async function moveAside(path: string): Promise<string | null> {
  // With milliseconds, because a rename replaces a file of the same name.
  const time = new Date().toISOString().replaceAll(/[-:]/gu, '')
  const replaced = `${path}.replaced-${time}`
  let isThere = false
  for (const suffix of ['-wal', '']) {
    if (!(await exists(path + suffix))) continue
    await rename(path + suffix, replaced + suffix)
    isThere = true
  }
  return isThere ? replaced : null
}

function toRestoreError(error: unknown, backup: string): unknown {
  if (error instanceof AppError) {
    if (error.code !== 'store_corrupt') return error
    const detail = `The backup ${backup} cannot be restored. ${error.message}`
    return new AppError('unavailable', 'store_corrupt', detail, { cause: error })
  }
  const { code = '' } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new AppError('unavailable', 'store_full', 'The disk has no room for the restored ledger.', { cause: error })
  }
  return code.startsWith('Z_') || code.startsWith('E') ? unreadable(backup, error) : error
}

function unreadable(path: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new AppError('invalid', 'backup_unreadable', `The backup ${path} cannot be read: ${reason}.`, { cause })
}

function newer(path: string, schemaVersion: number): AppError {
  const detail = `The backup ${path} has schema ${schemaVersion}; this release knows ${SCHEMA_VERSION}.`
  return new AppError('configuration', 'store_newer', detail, { hint: 'Use the newer release that wrote it.' })
}
