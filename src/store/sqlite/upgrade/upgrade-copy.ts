import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../../../model/app-error.js'
import type { Database } from '../files/database.js'
import { toFileError } from '../files/file-error.js'
import { syncFolder } from '../files/file-system.js'

/** The suffix of a copy's name after the path of the database, also of a copy that a kill has interrupted. */
const SUFFIX = /^\.schema-\d+(?:\.part)?$/u
/** Room that is left for the upgrade itself. */
const RESERVE_BYTES = 32 * 1024 * 1024
const MIB = 1024 * 1024

interface UpgradeCopyOptions {
  noun: string
  /** The version of the schema before the upgrade. */
  version: number
  /** Advice for the operator if there is no room. */
  advice: string
  /** Free space of a folder's disk, in bytes. */
  freeBytes?: (folder: string) => number
}

/**
 * Copies a database before its schema is upgraded, to `<database>.schema-<version>`. It replaces the copy of an earlier
 * attempt: an older release may have written the database since. Blocks the thread, which has no other work at that time.
 *
 * @returns the path of the copy
 * @throws AppError `configuration/upgrade_no_room`, `unavailable/store_full`, `configuration/…`; then nothing was changed
 *
 * Source: docs/decisions/0057.
 */
export function copyBeforeUpgrade(
  database: Database,
  { noun, version, advice, freeBytes = freeBytesOf }: UpgradeCopyOptions,
): string {
  const { path } = database
  const copy = `${path}.schema-${version}`
  const part = `${copy}.part`
  database.beginCopy()
  try {
    const needed = statSync(path).size + RESERVE_BYTES
    const free = freeBytes(dirname(path))
    if (free < needed) throw noRoom({ path, noun, version, advice, needed, free })
    rmSync(part, { force: true })
    // Where the file system can share the blocks of both files, the copy needs neither time nor room.
    copyFileSync(path, part, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    syncFile(part)
    database.checkCopy()
    renameSync(part, copy)
    syncFolder(dirname(path))
    return copy
  } catch (error) {
    rmSync(part, { force: true })
    throw toFileError(error, path)
  } finally {
    database.endCopy()
  }
}

/** Removes the copies from before upgrades. @returns their paths */
export async function removeUpgradeCopies(database: string): Promise<string[]> {
  const [folder, name] = [dirname(database), basename(database)]
  const found = (await readdir(folder)).filter(file => file.startsWith(name) && SUFFIX.test(file.slice(name.length)))
  const copies = found.sort().map(file => join(folder, file))
  for (const copy of copies) await rm(copy, { force: true })
  return copies
}

function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

function syncFile(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function noRoom(
  options: Pick<UpgradeCopyOptions, 'noun' | 'version' | 'advice'> & { path: string; needed: number; free: number },
): AppError {
  const { path, noun, version, advice, needed, free } = options
  const sizes = `needs ${inMebibytes(needed)} on the disk of ${path}, which has ${inMebibytes(free)} free`
  const message = `The ${noun} database has the schema ${version} of an older release. The copy before its upgrade ${sizes}.`
  return new AppError('configuration', 'upgrade_no_room', message, { hint: advice })
}

function inMebibytes(bytes: number): string {
  return `${Math.ceil(bytes / MIB).toLocaleString('en')} MiB`
}
