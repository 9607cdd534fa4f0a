import { createWriteStream } from 'node:fs'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import sqlite from 'node-sqlite3-wasm'
import { AppError } from '../../../model/app-error.js'
import { toFileError } from '../files/file-error.js'
import { exists, ifPresent, isErrno, syncFolder } from '../files/file-system.js'
import { removeCopy } from '../files/remove-copy.js'
import { toStoreError } from '../files/store-error.js'
import { realDatabase } from '../owner/database-path.js'
import { recoverHotJournal } from '../owner/rollback-journal.js'

/** A database, its WAL, and the rollback journal of an interrupted transaction. */
const PARTS = ['', '-wal', '-journal']
const TRIES = 5
/** Longer than the steps of any file clock, so that a write of the same instant cannot hide behind equal times. */
const SETTLE_MS = 50

/**
 * Copies the ledger of the older flat layout: `legacy`, with its WAL and rollback journal, becomes `database`, one complete
 * file (mode 0600, WAL format, integrity checked, synced). The legacy file keeps its bytes and times, and no file is
 * created next to it: it is read as a file, never opened as a database.
 *
 * Does nothing if `database` exists or there is no `legacy`. The copy has another name until it is complete: if the process
 * dies at any instruction, there is no new file, and the next call begins again. The columns of the copy are not checked
 * here.
 *
 * The caller owns `database`. This blocks its thread for about a second for each 200 MB, so it belongs in a worker.
 *
 * @param legacy path of the older file
 * @param database path of the new one; its folder exists
 * @returns whether a copy was made
 * @throws AppError `unavailable/legacy_busy` if a program keeps writing to it, `configuration/legacy_unusable` if it is
 *   damaged or no database, `configuration/legacy_unreadable`, `conflict/ledger_remains` if there is a WAL or a rollback
 *   journal of a missing `database`, and those of `toFileError`
 *
 * Source: Event Ledger Service, "A legacy database is copied forward on first default-path use".
 */
export async function copyLegacyLedger(paths: { legacy: string; database: string }): Promise<boolean> {
  const database = await realDatabase(paths.database)
  const copy = `${database}.copying`
  try {
    await removeCopy(copy)
    if (await exists(database)) return false
    const legacy = await findLegacy(paths.legacy)
    if (legacy === undefined) return false
    await refuseLeftoverLogs(database)
    await copyConsistently(legacy, copy)
    await recoverHotJournal(copy)
    settle(copy, legacy)
    await sync(copy)
    await rename(copy, database)
    syncFolder(dirname(database))
    return true
  } catch (error) {
    await removeCopy(copy)
    throw toFileError(error, database)
  }
}

async function findLegacy(path: string): Promise<string | undefined> {
  try {
    // The real path: the WAL of a linked database is next to the file, not next to the link.
    const legacy = await realpath(path)
    if ((await stat(legacy)).isFile()) return legacy
    throw unreadable(path, 'is not a file')
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}

/** SQLite would apply such a WAL or rollback journal to the copy. */
async function refuseLeftoverLogs(database: string): Promise<void> {
  for (const suffix of ['-wal', '-journal']) {
    if (!(await exists(`${database}${suffix}`))) continue
    const message = `${database}${suffix} exists, but its database does not; it may hold events.`
    throw new AppError('conflict', 'ledger_remains', message, {
      hint: 'Put the database back, or move that file away, and start again.',
    })
  }
}

/**
 * Copies the parts while no program writes to them. SQLite can recover any state of an unchanging database, but not parts
 * of different states.
 */
async function copyConsistently(legacy: string, copy: string): Promise<void> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const before = await fingerprint(legacy)
    await sleep(SETTLE_MS * (attempt + 1))
    await copyParts(legacy, copy)
    if ((await fingerprint(legacy)) === before) return
    await removeCopy(copy)
  }
  throw new AppError('unavailable', 'legacy_busy', `The older ledger ${legacy} is being written to.`, {
    hint: 'Stop the program that uses it, then try again.',
    retryAfterSeconds: 5,
  })
}

async function copyParts(legacy: string, copy: string): Promise<void> {
  for (const part of PARTS) {
    try {
      // The source is opened first: a destination that is still being created could not be removed.
      const source = await open(`${legacy}${part}`, 'r')
      await pipeline(
        source.createReadStream({ highWaterMark: 1 << 20 }),
        createWriteStream(`${copy}${part}`, { flags: 'w', mode: 0o600 }),
      )
    } catch (error) {
      if (isErrno(error, 'EACCES', 'EPERM') && error.path === `${legacy}${part}`) {
        throw unreadable(`${legacy}${part}`, 'may not be read by this user', error)
      }
      if (!isErrno(error, 'ENOENT')) throw error
      // Missing, as most parts are. If a part was created or deleted during the copy, the fingerprint has changed.
      await rm(`${copy}${part}`, { force: true })
    }
  }
}

/** Checkpoints the WAL and checks every page. The result is one file in WAL format, which has no rollback journal. */
function settle(copy: string, legacy: string): void {
  let findings: string
  try {
    const connection = new sqlite.Database(copy, { fileMustExist: true })
    try {
      connection.all('PRAGMA locking_mode = EXCLUSIVE')
      connection.all('PRAGMA journal_mode = WAL')
      connection.all('PRAGMA wal_checkpoint(TRUNCATE)')
      findings = String(connection.all('PRAGMA integrity_check(1)')[0]?.integrity_check)
    } finally {
      connection.close()
    }
  } catch (error) {
    const known = toStoreError(error, { path: copy, noun: 'ledger' })
    // A full disk is a problem of the new file; all other errors are problems of the legacy file.
    if (known instanceof AppError && known.code !== 'store_corrupt') throw known
    throw unusable(legacy, error instanceof Error ? error.message : String(error), error)
  }
  if (findings !== 'ok') throw unusable(legacy, findings)
}

async function fingerprint(legacy: string): Promise<string> {
  const parts: string[] = []
  for (const part of PARTS) {
    const found = await ifPresent(stat(`${legacy}${part}`, { bigint: true }))
    parts.push(found ? [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(':') : 'absent')
  }
  return parts.join(' ')
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function unreadable(path: string, reason: string, cause?: unknown): AppError {
  return new AppError('configuration', 'legacy_unreadable', `The older ledger ${path} ${reason}.`, {
    hint: 'Make it readable, move it away to start with an empty ledger, or choose a database.',
    cause,
  })
}

function unusable(legacy: string, reason: string, cause?: unknown): AppError {
  const message = `The older ledger ${legacy} cannot be upgraded: ${reason}.`
  return new AppError('configuration', 'legacy_unusable', message, {
    hint: 'Repair it or restore it from a backup, move it away to start with an empty ledger, or choose a database.',
    cause,
  })
}
