import { closeSync, fsyncSync, openSync } from 'node:fs'
import { stat } from 'node:fs/promises'

/** The meaning of a failed file operation, as the end of a sentence. */
export const FILE_REASONS: Partial<Record<string, string>> = {
  EACCES: 'this user may not read and write there',
  EDQUOT: 'the disk is full',
  EEXIST: 'it exists, and no file is overwritten',
  EIO: 'the file system answered with an error',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead in a circle',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'its name is too long',
  ENFILE: 'too many files are open',
  ENOENT: 'there is no such folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'there is no such folder',
  EPERM: 'this user may not read and write there',
  EROFS: 'the file system is mounted read-only',
}

/** True for the `code` of a failed file operation, so that callers branch on codes and never on text. */
export function isErrno(error: unknown, ...codes: string[]): error is NodeJS.ErrnoException {
  return error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '')
}

/** The result of a file operation; `undefined` if there is no such file. */
export async function ifPresent<Result>(operation: Promise<Result>): Promise<Result | undefined> {
  try {
    return await operation
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  }
}

export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return false
    throw error
  }
}

/** Writes the names in `folder` to the disk, so that a file that was created or renamed there survives a loss of power. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
