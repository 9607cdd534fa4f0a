import { execFile } from 'node:child_process'
import { type BigIntStats, constants } from 'node:fs'
import { open, readdir, readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { AppError } from '../../../model/app-error.js'
import { ifPresent, isErrno } from '../files/file-system.js'

interface FileLock {
  pid: number
  write: boolean
  device: bigint
  inode: bigint
}

const LOCK = /^\d+: (?:POSIX|OFDLCK)\s+\S+\s+(READ|WRITE)\s+(-?\d+) ([0-9a-f]+):([0-9a-f]+):(\d+) /

/**
 * The pid of a program that has the ledger open with an ordinary SQLite in a way that would cause damage, or
 * `undefined`. Harmful is
 *
 * - any lock on `<database>-shm` (or on `formerShm`, the same file after it was unlinked): its owner keeps an index of
 *   the WAL there that our writes would not enter, and checkpoints or deletes the WAL by it;
 * - a write lock on the database, or any lock while it is not in WAL mode: a transaction in the old journal mode.
 *
 * A read lock on a database in WAL mode without one on the shared memory is a reader behind our guard: harmless.
 * An ordinary SQLite in rollback mode that is idle holds no lock, and need not be found: it reads the header again at its
 * next transaction, sees WAL and meets the guard.
 *
 * The source is `/proc/locks` on Linux (programs of this pid namespace), `lsof` on other systems.
 *
 * @throws AppError `conflict/ledger_in_use_unknown` if there is a shared memory file and neither source can be read
 */
export async function findNativeUser(
  database: string,
  { formerShm, lockTable = '/proc/locks' }: { formerShm?: BigIntStats | undefined; lockTable?: string } = {},
): Promise<number | undefined> {
  const [file, shm] = await Promise.all([statFile(database), statFile(`${database}-shm`)])
  const locks = await readLocks(lockTable)
  if (locks === undefined) return shm === undefined ? undefined : findByLsof(`${database}-shm`)
  const wal = file !== undefined && (await isInWalMode(database))
  for (const lock of locks) {
    if (shm !== undefined && (await concerns(lock, shm))) return lock.pid
    if (formerShm !== undefined && (await concerns(lock, formerShm))) return lock.pid
    if (file !== undefined && (lock.write || !wal) && (await concerns(lock, file))) return lock.pid
  }
  return undefined
}

/** Reads the text of `/proc/locks`; processes that wait for a lock are left out. Source: proc(5). */
export function parseLocks(text: string): FileLock[] {
  const locks: FileLock[] = []
  for (const line of text.split('\n')) {
    const [, kind, pid, major, minor, inode] = LOCK.exec(line) ?? []
    if (!kind || !pid || !major || !minor || !inode) continue
    const device = toDevice(BigInt(`0x${major}`), BigInt(`0x${minor}`))
    locks.push({ pid: Number(pid), write: kind === 'WRITE', device, inode: BigInt(inode) })
  }
  return locks
}

async function readLocks(lockTable: string): Promise<FileLock[] | undefined> {
  try {
    return parseLocks(await readFile(lockTable, 'utf8'))
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'EACCES', 'EPERM', 'ENOTDIR')) return undefined
    throw error
  }
}

async function concerns(lock: FileLock, file: BigIntStats): Promise<boolean> {
  if (lock.inode !== file.ino || lock.pid === process.pid) return false
  // Some file systems (btrfs) name one device to stat and another to the kernel: then the open files decide.
  return lock.device === file.dev || (await hasOpen(lock.pid, file))
}

async function hasOpen(pid: number, file: BigIntStats): Promise<boolean> {
  for (const descriptor of await descriptorsOf(pid)) {
    const found = await statFile(descriptor)
    if (found?.ino === file.ino && found.dev === file.dev) return true
  }
  return false
}

async function descriptorsOf(pid: number): Promise<string[]> {
  try {
    return (await readdir(`/proc/${pid}/fd`)).map(name => `/proc/${pid}/fd/${name}`)
  } catch (error) {
    // It ended or belongs to another user: then its open files are unknown.
    if (isErrno(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return []
    throw error
  }
}

async function findByLsof(path: string): Promise<number | undefined> {
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' }
  try {
    const { stdout } = await promisify(execFile)('lsof', ['-t', '--', path], { env })
    const pid = Number.parseInt(stdout, 10)
    return Number.isNaN(pid) ? undefined : pid
  } catch (error) {
    if ((error as { code?: unknown }).code === 1) return undefined
    throw new AppError('conflict', 'ledger_in_use_unknown', `Whether a program uses ${path} cannot be determined.`, {
      hint: 'Make sure that no program has the ledger open, then delete that file.',
      cause: error,
    })
  }
}

/** The status of a file; `undefined` if there is none, or a folder. */
async function statFile(path: string): Promise<BigIntStats | undefined> {
  const found = await ifPresent(stat(path, { bigint: true }))
  return found?.isFile() ? found : undefined
}

/** Byte 18 of the file is the format to write with: 2 is WAL. Source: SQLite, "Database File Format", 1.3.3. */
async function isInWalMode(database: string): Promise<boolean> {
  const file = await open(database, constants.O_RDONLY)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, 18)
    return bytesRead === 1 && buffer[0] === 2
  } finally {
    await file.close()
  }
}

/** The device number as `stat` gives it. Source: makedev(3), GNU C Library. */
function toDevice(major: bigint, minor: bigint): bigint {
  return ((major & 0xfffn) << 8n) | (minor & 0xffn) | ((minor & 0xfff00n) << 12n) | ((major & 0xfffff000n) << 32n)
}
