import { createReadStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { AppError, type ErrorCategory } from '../../../model/app-error.js'
import { FILE_REASONS, syncFolder } from './file-system.js'

export interface CopySource {
  /** Path of the file. */
  from: string
  /** Called when the new file exists, before the first byte is read. */
  begin: () => void
  /** Called when the last byte is read. Throws if the copy may be incomplete. */
  check: () => void
}

/** Of one read: large, as whole files are copied. */
const CHUNK_BYTES = 1024 * 1024

/**
 * Copies a file to a new file: for its owner alone (mode 0600), on the disk when this resolves, and under its name only
 * when it is complete. A process that is killed before that leaves an empty file of that name.
 *
 * @throws AppError `conflict/file_exists`, `invalid/path_unusable`, `unavailable/store_full`
 */
export async function copyToNewFile(path: string, { from, begin, check }: CopySource): Promise<void> {
  const part = `${path}.part`
  try {
    await (await open(path, 'wx', 0o600)).close()
  } catch (error) {
    throw toRefusal(path, error)
  }
  try {
    const file = await open(part, 'wx', 0o600)
    try {
      begin()
      await pipeline(createReadStream(from, { highWaterMark: CHUNK_BYTES }), file.createWriteStream({ flush: true }))
      check()
      await rename(part, path)
    } catch (error) {
      await file.close()
      await rm(part, { force: true })
      throw error
    }
    syncFolder(dirname(path))
  } catch (error) {
    await rm(path, { force: true })
    throw toRefusal(path, error)
  }
}

interface Refusal {
  category: ErrorCategory
  code: string
}

const TAKEN: Refusal = { category: 'conflict', code: 'file_exists' }
const UNUSABLE: Refusal = { category: 'invalid', code: 'path_unusable' }
const FULL: Refusal = { category: 'unavailable', code: 'store_full' }

const BY_ERRNO: Partial<Record<string, Refusal>> = {
  EEXIST: TAKEN,
  ...{ ENOENT: UNUSABLE, ENOTDIR: UNUSABLE, ENAMETOOLONG: UNUSABLE, EISDIR: UNUSABLE, ELOOP: UNUSABLE },
  ...{ EACCES: UNUSABLE, EPERM: UNUSABLE, EROFS: UNUSABLE, ENOSPC: FULL, EDQUOT: FULL },
}

function toRefusal(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || error instanceof AppError) return error
  const errno = String(error.code)
  const refusal = BY_ERRNO[errno]
  if (!refusal) return error
  const message = `The copy ${path} cannot be made: ${FILE_REASONS[errno]}.`
  return new AppError(refusal.category, refusal.code, message, { hint: 'Name a new file.', cause: error })
}
