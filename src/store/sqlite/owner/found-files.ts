import { open, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../../../model/app-error.js'
import { ifPresent } from '../files/file-system.js'
import type { OwnerRecord } from './owner-record.js'

/** Inode number and time of birth, as numbers are reused; null if there is no file. */
export interface FileIds {
  database: string | null
  /** The WAL; owner files of all releases have this name for it. */
  journal: string | null
}

/** A write-ahead log of this size has only its header, and holds no row. */
const EMPTY_WAL_BYTES = 32
const INITIAL_PAGES_AT = 16

/** The files at the paths of a database and its write-ahead log. */
export async function findFileIds(database: string): Promise<FileIds> {
  const [file, wal] = [await sizeAndId(database), await sizeAndId(`${database}-wal`)]
  return { database: file?.id ?? null, journal: wal?.id ?? null }
}

/**
 * Refuses files whose content SQLite would destroy when it opens them, and reports files that seem to be missing. SQLite
 * deletes a WAL next to an empty database, and applies any WAL to the database next to it.
 *
 * Files that a killed process leaves are never refused, at any instruction.
 *
 * @param former the dead owner that did not release the database
 * @returns a warning for the operator
 * @throws AppError `conflict/ledger_remains`
 */
export async function checkFoundFiles(database: string, former: OwnerRecord | undefined): Promise<string | undefined> {
  const file = await sizeAndId(database)
  const wal = await sizeAndId(`${database}-wal`)
  const found: FileIds = { database: file?.id ?? null, journal: wal?.id ?? null }
  const { files, lost } = former ?? {}
  const hasRows = (wal?.size ?? 0) > EMPTY_WAL_BYTES
  if (lost && isSame(lost, found)) throw await unchangedSince(database)
  if ((file?.size ?? 0) === 0) {
    await refuseLeftoverFiles(database, hasRows)
    if (files) return `the ledger that process ${former?.pid} had open is gone: ${database} is a new, empty one`
    return undefined
  }
  if (!files) return undefined
  const isReplaced = files.database !== found.database
  if (isReplaced && hasRows && files.journal === found.journal) throw notItsOwn(database)
  if (isReplaced || files.journal === null || found.journal !== null) return undefined
  return `${database}-wal is gone, which process ${former?.pid} had open when it ended: events may be missing`
}

async function refuseLeftoverFiles(database: string, hasRows: boolean): Promise<void> {
  const rescued = await findRescued(database)
  const leftovers = [
    ...(hasRows ? [`${database}-wal`] : []),
    ...((await holdsPages(`${database}-journal`)) ? [`${database}-journal`] : []),
    ...rescued,
  ]
  if (leftovers.length === 0) return
  const message = `There is no database ${database}, but ${leftovers.join(', ')} may hold its events.`
  const back =
    rescued.length > 0 ? `Rename the rescued files to ${database} and ${database}-wal` : 'Put the database back'
  throw leftoverFilesError(message, `${back}, or move those files away, and start again.`)
}

async function unchangedSince(database: string): Promise<AppError> {
  const rescued = await findRescued(database)
  const saved = rescued.length === 0 ? '' : ` What it held is in ${rescued.join(', ')}.`
  const message = `The server that had ${database} open found that other files had taken its place, and ended.${saved}`
  const hint = rescued.length === 0 ? 'Put its files back' : `Rename those to ${database} and ${database}-wal`
  return leftoverFilesError(message, `${hint}; or, to continue with the present files, remove ${database}.owner.`)
}

function notItsOwn(database: string): AppError {
  const message = `${database} was replaced, and ${database}-wal belongs to the former one: together they would be damaged.`
  const hint = `Put the former database back, or move ${database}-wal away, and start again.`
  return leftoverFilesError(message, hint)
}

function leftoverFilesError(message: string, hint: string): AppError {
  return new AppError('conflict', 'ledger_remains', message, { hint })
}

function isSame(one: FileIds, other: FileIds): boolean {
  return one.database === other.database && one.journal === other.journal
}

async function findRescued(database: string): Promise<string[]> {
  const folder = dirname(database)
  const names = (await readdir(folder)).filter(name => name.startsWith(`${basename(database)}.rescued-`))
  return names
    .filter(name => !name.endsWith('.part'))
    .sort()
    .map(name => join(folder, name))
}

/** A rollback journal of a transaction that began with an empty database holds nothing. */
async function holdsPages(journal: string): Promise<boolean> {
  const file = await ifPresent(open(journal, 'r'))
  if (!file) return false
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, INITIAL_PAGES_AT)
    return bytesRead === 4 && buffer.readUInt32BE(0) > 0
  } finally {
    await file.close()
  }
}

async function sizeAndId(path: string): Promise<{ size: number; id: string } | undefined> {
  const found = await ifPresent(stat(path, { bigint: true }))
  return found && { size: Number(found.size), id: `${found.ino}:${found.birthtimeNs}` }
}
