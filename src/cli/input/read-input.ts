import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { AppError } from '../../model/app-error.js'
import { whyUnreadable } from '../../model/files/regular-file.js'

/**
 * The bytes of a file, or of standard input for `-`.
 *
 * @throws AppError `invalid/file_unreadable`, during iteration
 */
export async function* readInput(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* path === '-' ? process.stdin : createReadStream(path)
  } catch (cause) {
    if (!(cause instanceof Error) || !('syscall' in cause)) throw cause
    throw new AppError('invalid', 'file_unreadable', `${path} ${whyUnreadable(cause).text}.`, {
      hint: 'Name a file, or - for standard input.',
      cause,
    })
  }
}

/** Whether `readInput` can read the same bytes again. A path in /dev may share its position with the first reading. */
export async function isReadableAgain(path: string): Promise<boolean> {
  if (path === '-' || path.startsWith('/dev/')) return false
  const stats = await stat(path).catch(() => undefined)
  return stats?.isFile() === true
}

/** Reads a whole input of limited size. @throws AppError `too_large/body_too_large`, and as `readInput` */
export async function readSmallInput(path: string, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of readInput(path)) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > maxBytes) {
      throw new AppError('too_large', 'body_too_large', `The input is larger than ${maxBytes / 1024} KiB.`)
    }
  }
  return Buffer.concat(chunks, bytes)
}

/** The same as text. @throws AppError `invalid/file_unreadable` if it is not UTF-8 */
export async function readSmallText(path: string, maxBytes: number): Promise<string> {
  const bytes = await readSmallInput(path, maxBytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    throw new AppError('invalid', 'file_unreadable', `${path} is not UTF-8.`, { cause })
  }
}
