import { closeSync, openSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../../../model/app-error.js'
import { isErrno } from './file-system.js'

type DiskTrouble = 'full' | 'read_only'

/** With less free space, the disk counts as full: a transaction of the largest size does not fit. */
const LARGEST_TRANSACTION_BYTES = 32 * 1024 * 1024

type Translation = (cause: unknown, noun: string) => AppError

const DISK_TROUBLE: Record<DiskTrouble, Translation> = {
  full: cause =>
    new AppError('unavailable', 'store_full', 'The disk is full; nothing was stored.', {
      hint: 'Free some space: then requests succeed again.',
      retryAfterSeconds: 5,
      cause,
    }),
  read_only: (cause, noun) =>
    new AppError('unavailable', 'store_read_only', `The ${noun} database cannot be written.`, {
      hint: 'Check the permissions of the file, its folder and its disk.',
      retryAfterSeconds: 5,
      cause,
    }),
}

const DISK_FAILED = /disk i\/o error|unable to open|could not open/i

/**
 * The failures of a database file, by the driver's text: errors of node-sqlite3-wasm have no code. Only this table
 * reads those texts.
 */
const KNOWN: readonly { text: RegExp; error: Translation }[] = [
  { text: /database or disk is full/i, error: DISK_TROUBLE.full },
  { text: /readonly database|read-only/i, error: DISK_TROUBLE.read_only },
  {
    // Not every "malformed": "malformed JSON" is SQLite's error for a text that nests deeper than it can read.
    text: /disk image is malformed|malformed database schema|not a database|fts5: corrupt/i,
    error: (cause, noun) =>
      new AppError('unavailable', 'store_corrupt', `The ${noun} database is damaged or is not a database.`, {
        hint: 'Stop the server and restore the file from a backup.',
        retryAfterSeconds: 60,
        cause,
      }),
  },
  {
    text: /database is locked/i,
    error: (cause, noun) =>
      new AppError('unavailable', 'store_locked', `Another program holds the ${noun} database.`, {
        hint: 'Close it and try again.',
        retryAfterSeconds: 5,
        cause,
      }),
  },
  {
    text: DISK_FAILED,
    error: (cause, noun) =>
      new AppError('unavailable', 'store_failed', `The ${noun} database cannot be read or written.`, {
        hint: 'Check the disk, the folder and their permissions.',
        retryAfterSeconds: 5,
        cause,
      }),
  },
]

/**
 * Translates an error of the driver into an expected error. An unknown error is returned as it is: it is a defect.
 *
 * @param database `path` is used to check the disk: for a full one, node-sqlite3-wasm reports only "disk I/O error"
 */
export function toStoreError(error: unknown, database: { path: string; noun: string }): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error
  const trouble = DISK_FAILED.test(error.message) ? findDiskTrouble(database.path) : undefined
  if (trouble !== undefined) return DISK_TROUBLE[trouble](error, database.noun)
  return KNOWN.find(known => known.text.test(error.message))?.error(error, database.noun) ?? error
}

/** Why the disk of `database` has just failed a write; `undefined` if the reason is unknown. */
export function findDiskTrouble(database: string): DiskTrouble | undefined {
  try {
    closeSync(openSync(database, 'r+'))
    const { bavail, bsize } = statfsSync(dirname(database))
    return bavail * bsize < LARGEST_TRANSACTION_BYTES ? 'full' : undefined
  } catch (error) {
    return isErrno(error, 'EROFS', 'EACCES', 'EPERM') ? 'read_only' : undefined
  }
}
