import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolderNow } from '../../../model/files/make-folder.js'
import { syncFolder } from './file-system.js'
import { findDiskTrouble } from './store-error.js'

const CHUNK_BYTES = 1024 * 1024

/** The saved content of a database whose files are no longer on the disk as they were opened. */
export interface Rescue {
  /** Path of the saved database. */
  database: string
  /** Path of its WAL, if there is one. */
  wal?: string
  /** False if files were cut or overwritten, so that only the rest is saved. */
  isWhole: boolean
}

interface RescueRequest {
  /** Path of the database; the saved files are next to it. */
  path: string
  /** The end of the names of the saved files. */
  time: string
  /** Descriptors of the open files. */
  descriptors: { database: number; wal: number }
  /** Copies the rows into this empty file, as the bytes of the files cannot be trusted. Throws if the rows cannot be read. */
  copyRows?: ((path: string) => void) | undefined
}

/**
 * Saves the content of an open database, from descriptors that still reach its bytes, to new files next to it (mode 0600,
 * synced). Changes no existing file. The saved database appears under its name last, when everything is complete.
 *
 * @throws errors of the file system, such as `ENOSPC`; then no new file is left
 */
export function rescue({ path, time, descriptors, copyRows }: RescueRequest): Rescue {
  const database = `${path}.rescued-${time}`
  const part = `${database}.part`
  const wal = `${database}-wal`
  makeFolderNow(dirname(path))
  try {
    const hasRows = copyRows !== undefined && tryRows(part, copyRows)
    if (!hasRows) copy(descriptors.database, part)
    const hasWal = !hasRows && copy(descriptors.wal, wal) > 0
    if (!hasWal) rmSync(wal, { force: true })
    renameSync(part, database)
    syncFolder(dirname(path))
    return { database, ...(hasWal ? { wal } : {}), isWhole: copyRows === undefined || hasRows }
  } catch (error) {
    for (const file of [part, wal]) rmSync(file, { force: true })
    throw error
  }
}

/** @returns whether the rows are in `path` and on the disk; if not, there is no such file */
function tryRows(path: string, copyRows: (path: string) => void): boolean {
  closeSync(openSync(path, 'wx', 0o600))
  try {
    copyRows(path)
  } catch (error) {
    const isFull = findDiskTrouble(path) === 'full'
    rmSync(path, { force: true })
    // If the disk has room, the next attempt may still succeed.
    if (!(error instanceof Error) || isFull) throw error
    return false // the remaining bytes are saved instead
  }
  const fd = openSync(path, 'r+')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  return true
}

/** @returns how many bytes */
function copy(from: number, path: string): number {
  const to = openSync(path, 'wx', 0o600)
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    let size = 0
    for (;;) {
      const length = readSync(from, chunk, 0, CHUNK_BYTES, size)
      if (length === 0) break
      for (let at = 0; at < length; ) at += writeSync(to, chunk, at, length - at)
      size += length
    }
    fsyncSync(to)
    return size
  } finally {
    closeSync(to)
  }
}
