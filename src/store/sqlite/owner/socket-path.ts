import { createHash } from 'node:crypto'
import { lstat, mkdir, realpath, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { AppError } from '../../../model/app-error.js'
import { temporaryFolderUnusable } from '../../../model/files/temporary-folder.js'
import { isErrno } from '../files/file-system.js'
import { realDatabase } from './database-path.js'

/** Bytes that fit `sun_path` before its closing zero. Source: unix(7) and the headers of macOS and the BSDs. */
const MAX_BYTES = { linux: 107, others: 103 }
const ANSWER_MS = 1_000

/**
 * The path at which the owner of `database` listens for local callers: `<database>.sock`, or, if that is longer than
 * the system allows, a name from the digest of the path, in a folder of `runtimeDir` that only this user may enter. The
 * folder is created if necessary.
 *
 * @param runtimeDir a short, existing folder such as the temporary folder
 * @throws AppError `configuration/socket_folder_unsafe` if another user could put a socket there,
 *   `configuration/socket_path_too_long` if even the short name does not fit, `configuration/temporary_folder_unusable`
 *
 * Source: decision record on the owner protocol.
 */
export async function socketPath(database: string, runtimeDir: string): Promise<string> {
  const real = await realDatabase(database)
  const beside = socketBeside(real)
  if (fits(beside)) return beside
  const realDir = await realpath(runtimeDir).catch(cause => {
    throw temporaryFolderUnusable(runtimeDir, cause)
  })
  const folder = join(realDir, `daybook-${process.getuid?.() ?? 'user'}`)
  const short = join(folder, `${createHash('sha256').update(real).digest('hex').slice(0, 32)}.sock`)
  if (!fits(short)) {
    throw new AppError('configuration', 'socket_path_too_long', `The path of the local socket is too long: ${short}.`, {
      hint: 'Set TMPDIR to a shorter folder, or choose a shorter path for the database.',
    })
  }
  await ensurePrivateFolder(folder, runtimeDir)
  return short
}

/** @param database real path */
export function socketBeside(database: string): string {
  return `${database}.sock`
}

/** Whether a process listens at `path`. In doubt (permission denied, its queue is full) the answer is yes. */
export function answersAt(path: string): Promise<boolean> {
  return new Promise(resolve => {
    // Node would cut the path to the limit, and connect to another socket.
    if (!fits(path)) return resolve(false)
    const socket = connect({ path })
    const finish = (answers: boolean) => {
      socket.destroy()
      resolve(answers)
    }
    socket.setTimeout(ANSWER_MS, () => finish(true))
    socket.once('connect', () => finish(true))
    socket.once('error', error =>
      finish(!isErrno(error, 'ECONNREFUSED', 'ENOENT', 'ENOTSOCK', 'ENOTDIR', 'EPROTOTYPE', 'EINVAL', 'ENAMETOOLONG')),
    )
  })
}

function fits(path: string): boolean {
  return Buffer.byteLength(path) <= (process.platform === 'linux' ? MAX_BYTES.linux : MAX_BYTES.others)
}

async function ensurePrivateFolder(folder: string, parent: string): Promise<void> {
  const uid = process.getuid?.()
  const unusable = (cause: unknown) => temporaryFolderUnusable(parent, cause)
  const above = await stat(parent).catch(cause => {
    throw unusable(cause)
  })
  const othersMayRename = (above.mode & 0o022) !== 0 && (above.mode & 0o1000) === 0
  if (othersMayRename || (above.uid !== uid && above.uid !== 0)) {
    throw unsafe(parent, 'others may replace what is in it')
  }
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw unusable(error)
  }
  const found = await lstat(folder)
  if (!found.isDirectory()) throw unsafe(folder, 'it is not a folder')
  if (found.uid !== uid) throw unsafe(folder, 'it belongs to another user')
  if ((found.mode & 0o077) !== 0) throw unsafe(folder, 'others may enter it')
}

function unsafe(folder: string, reason: string): AppError {
  const message = `The folder ${folder} is not safe for the local socket: ${reason}.`
  return new AppError('configuration', 'socket_folder_unsafe', message, {
    hint: 'Remove it or give it mode 0700, set TMPDIR to a folder of your own, or choose a shorter database path.',
  })
}
