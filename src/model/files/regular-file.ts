import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'

/** Codes in addition to the system's: the path is a device, pipe or socket; the file exceeds the limit. */
type RegularFileCode = 'NOT_A_FILE' | 'TOO_LARGE'

const CHUNK_BYTES = 64 * 1024

/**
 * The text of a regular file, as UTF-8. Reads no more than the limit, so a device cannot be read without end, and never
 * waits for the other end of a pipe. The size from the file system is not trusted: files below /proc report none.
 *
 * @throws an error with the system's `code` (`ENOENT`, `EACCES`, `EISDIR` …) or a `RegularFileCode`
 */
export function readRegularFile(path: string, maxBytes: number): string {
  // Checked before it is opened: opening some devices has side effects.
  refuseOthers(path, statSync(path))
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    refuseOthers(path, fstatSync(file))
    return readUpTo(file, path, maxBytes).toString('utf8')
  } finally {
    closeSync(file)
  }
}

function refuseOthers(path: string, stats: Stats): void {
  if (stats.isDirectory()) throw failure(path, 'EISDIR')
  if (!stats.isFile()) throw failure(path, 'NOT_A_FILE')
}

function readUpTo(file: number, path: string, maxBytes: number): Buffer {
  const chunks: Buffer[] = []
  for (let total = 0; ; ) {
    const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, maxBytes + 1 - total))
    const count = readSync(file, chunk)
    if (count === 0) return Buffer.concat(chunks, total)
    chunks.push(chunk.subarray(0, count))
    total += count
    if (total > maxBytes) throw failure(path, 'TOO_LARGE')
  }
}

function failure(path: string, code: RegularFileCode | 'EISDIR'): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code })
}

const REASONS = new Map([
  ['ENOENT', 'does not exist'],
  ['ENOTDIR', 'does not exist'],
  ['EACCES', 'may not be read by this user'],
  ['EPERM', 'may not be read by this user'],
  ['EISDIR', 'is a folder'],
  ['NOT_A_FILE', 'is a device or a pipe, not a file'],
])

/**
 * The reason why a file could not be read, as the end of a sentence that begins with the file. Rethrows other failures.
 *
 * @param limit of its size, as text
 */
export function whyUnreadable(error: unknown, limit = '1 MiB'): { missing: boolean; text: string } {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') throw error
  const { code } = error
  const text = code === 'TOO_LARGE' ? `is larger than ${limit}` : (REASONS.get(code) ?? `cannot be read (${code})`)
  return { missing: code === 'ENOENT' || code === 'ENOTDIR', text }
}
