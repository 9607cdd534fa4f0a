import { createReadStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError, type ErrorCategory } from '../../../model/app-error.js'
import { FILE_REASONS, syncFolder } from './file-system.js'

export interface CopySource {
  /** Path of the file. */
  from: string
  /** Called when the new file exists, before the first byte is read. */
  begin: () => void | Promise<void>
  /** Called when the last byte is read. Throws if the copy may be incomplete. */
  check: () => void | Promise<void>
  signal?: AbortSignal | undefined
}

/** Bytes per read; large, because whole files are copied. */
const CHUNK_BYTES = 1024 * 1024
/** A larger sync would delay the commits of the copied database. */
const SYNC_BYTES = 8 * CHUNK_BYTES

/**
 * Copies a file to a new file, as `makeNewFile`.
 *
 * @throws AppError `conflict/file_exists`, `invalid/path_unusable`, `unavailable/store_full`; an `AbortError`, and then no
 *   file is left
 */
export function copyToNewFile(path: string, { from, begin, check, signal }: CopySource): Promise<void> {
  return makeNewFile(path, async part => {
    const file = await open(part, 'wx', 0o600)
    try {
      await begin()
      let unsynced = 0
      for await (const chunk of createReadStream(from, { highWaterMark: CHUNK_BYTES, ...(signal ? { signal } : {}) })) {
        await file.appendFile(chunk as Buffer)
        unsynced += (chunk as Buffer).length
        if (unsynced < SYNC_BYTES) continue
        await file.datasync()
        unsynced = 0
      }
      await file.sync()
      await check()
      signal?.throwIfAborted()
    } finally {
      await file.close()
    }
  })
}

/**
 * Makes a new file that has its name only when it is complete. A process that is killed before that leaves an empty file
 * of that name, and the incomplete one next to it as `<name>.part`.
 *
 * @param make writes the file `part`, for its owner alone (mode 0600), and syncs it
 * @throws AppError `conflict/file_exists`, `invalid/path_unusable`, `unavailable/store_full`
 */
export async function makeNewFile(path: string, make: (part: string) => Promise<void>): Promise<void> {
  const part = `${path}.part`
  try {
    await (await open(path, 'wx', 0o600)).close()
  } catch (error) {
    throw toNewFileError(path, error)
  }
  try {
    await make(part)
    await rename(part, path)
    syncFolder(dirname(path))
  } catch (error) {
    await rm(part, { force: true })
    await rm(path, { force: true })
    throw toNewFileError(path, error)
  }
}

interface Refusal {
  category: ErrorCategory
  code: string
  hint: string
}

const TAKEN: Refusal = { category: 'conflict', code: 'file_exists', hint: 'Name a new file.' }
const UNUSABLE: Refusal = { category: 'invalid', code: 'path_unusable', hint: 'Name another file.' }
const NO_FOLDER: Refusal = { ...UNUSABLE, hint: 'Create the folder, or name another file.' }
const FULL: Refusal = {
  category: 'unavailable',
  code: 'store_full',
  hint: 'Make room and try again, or name a file on another disk.',
}

const BY_ERRNO: Partial<Record<string, Refusal>> = {
  EEXIST: TAKEN,
  ENOENT: NO_FOLDER,
  ENOTDIR: NO_FOLDER,
  ENAMETOOLONG: UNUSABLE,
  EISDIR: UNUSABLE,
  ELOOP: UNUSABLE,
  EACCES: UNUSABLE,
  EPERM: UNUSABLE,
  EROFS: UNUSABLE,
  ENOSPC: FULL,
  EDQUOT: FULL,
}

/**
 * Translates the failure of a file operation on a new file into an expected error. Other errors are returned as they are.
 *
 * @param path the file that was asked for
 */
export function toNewFileError(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || error instanceof AppError) return error
  const errno = String(error.code)
  const refusal = BY_ERRNO[errno]
  if (!refusal) return error
  const { category, code, hint } = refusal
  return new AppError(category, code, `${path} cannot be written: ${FILE_REASONS[errno]}.`, { hint, cause: error })
}
