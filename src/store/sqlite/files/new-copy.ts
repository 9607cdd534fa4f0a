import { createReadStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { AppError, type ErrorCategory } from '../../../model/app-error.js'

export interface CopySource {
  /** Path of the file. */
  from: string
  /** Called once the new file's place is taken, before the first byte is read. */
  begin: () => void
  /** Called once the last byte is read; throws when what was read may not be whole. */
  check: () => void
}

/** Of one read: large, as it is about whole files. */
const CHUNK_BYTES = 1024 * 1024

/**
 * Copies a file to a place where there is none: for its owner alone (mode 0600), on the disk when this ends, and under
 * its name only once it is whole. Whoever is killed meanwhile leaves an empty file of that name, which is no copy.
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
    await syncFolder(dirname(path))
  } catch (error) {
    await rm(path, { force: true })
    throw toRefusal(path, error)
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

interface Refusal {
  category: ErrorCategory
  code: string
  reason: string
}

const UNUSABLE = { category: 'invalid', code: 'path_unusable' } as const

const BY_ERRNO: Partial<Record<string, Refusal>> = {
  EEXIST: { category: 'conflict', code: 'file_exists', reason: 'it is there already, and nothing is written over' },
  ENOENT: { ...UNUSABLE, reason: 'there is no such folder' },
  ENOTDIR: { ...UNUSABLE, reason: 'there is no such folder' },
  ENAMETOOLONG: { ...UNUSABLE, reason: 'its name is too long' },
  EISDIR: { ...UNUSABLE, reason: 'it is a folder' },
  ELOOP: { ...UNUSABLE, reason: 'its links lead in a circle' },
  EACCES: { ...UNUSABLE, reason: 'this user may not write there' },
  EPERM: { ...UNUSABLE, reason: 'this user may not write there' },
  EROFS: { ...UNUSABLE, reason: 'the file system is mounted read-only' },
  ENOSPC: { category: 'unavailable', code: 'store_full', reason: 'the disk is full' },
  EDQUOT: { category: 'unavailable', code: 'store_full', reason: 'the disk is full' },
}

function toRefusal(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || error instanceof AppError) return error
  const refusal = BY_ERRNO[String(error.code)]
  if (!refusal) return error
  const message = `The copy ${path} cannot be made: ${refusal.reason}.`
  return new AppError(refusal.category, refusal.code, message, { hint: 'Name a new file.', cause: error })
}
