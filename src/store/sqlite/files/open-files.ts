import { type BigIntStats, closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { ownerFile, parseOwner } from '../owner/owner-record.js'
import { isErrno } from './file-system.js'

/** `removed` and `replaced`: the open file is intact, but the path leads elsewhere. `changed`: its bytes were cut or overwritten. */
export type FileFault = 'removed' | 'replaced' | 'changed'

/** An open file that was removed, replaced or changed on the disk. */
export interface FileDifference {
  path: string
  fault: FileFault
}

type FileStats = Pick<BigIntStats, 'dev' | 'ino' | 'nlink' | 'size' | 'mtimeNs'>

interface OpenFile {
  path: string
  fd: number
  /** At the last check. */
  stats: FileStats
}

const DATABASE_HEADER_BYTES = 100
const WAL_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

/**
 * The files of an open database, opened a second time: to check that the paths still lead to them, and to reach their bytes
 * if the paths do not. node-sqlite3-wasm locks by a folder, so a further descriptor releases no lock.
 *
 * A check costs a `stat` of each file and two short reads. It accepts what SQLite does to its files: the WAL grows, begins
 * again with a new salt, and is empty after `walEmptied`; the database grows, except
 * after `allowShrinking`.
 *
 * Source: SQLite, "Database File Format", 1.3 "The Database Header" and 4.1 "WAL File Format"; decision record 0027.
 */
export class OpenFiles {
  readonly #database: OpenFile
  readonly #wal: OpenFile
  /** Size of the database in pages, from its header. */
  #pages: number
  /**
   * A WAL checkpoint may cut the database now: `from` is its number of pages before, `to` the least number afterwards.
   */
  #shrinking: { from: number; to: number } | undefined
  #hasWalHeader: boolean
  /** Equal for all headers that this connection writes into the WAL. */
  #walSeries: number | undefined
  /** Offset of the last frame of the WAL. */
  #lastFrame: number | undefined
  #owner: { nonce: string; ino: bigint | undefined } | undefined

  /**
   * @param path of a database that was just opened, with its WAL
   * @param nonce of the owner record that has to exist next to it
   */
  constructor(
    private readonly path: string,
    nonce?: string,
  ) {
    this.#database = openFile(path)
    this.#wal = openFile(`${path}-wal`)
    this.#pages = pagesIn(read(this.#database.fd, DATABASE_HEADER_BYTES)) ?? 0
    this.#hasWalHeader = !isHole(read(this.#wal.fd, WAL_HEADER_BYTES))
    this.#owner = nonce === undefined ? undefined : { nonce, ino: undefined }
  }

  /**
   * The files that are no longer on the disk as they were opened.
   *
   * @param pageCount from SQLite; called only if the database was written since the last check
   * @param isCommitted the WAL ends with a commit of this connection
   */
  differences(pageCount: () => number, { isCommitted }: { isCommitted: boolean }): FileDifference[] {
    const found: FileDifference[] = []
    const note = ({ path }: { path: string }, fault: FileFault | undefined) => {
      if (fault !== undefined) found.push({ path, fault })
    }
    note(
      this.#database,
      this.#check(this.#database, stats => this.#isDatabaseChanged(stats, pageCount)),
    )
    note(
      this.#wal,
      this.#check(this.#wal, stats => this.#isWalChanged(stats, isCommitted)),
    )
    if (this.#owner !== undefined) note({ path: ownerFile(this.path) }, this.#ownerFault(this.#owner))
    return found
  }

  /** SQLite has just emptied the WAL on our request: the file has all pages, and no others. */
  walEmptied(): void {
    this.#wal.stats = fstatSync(this.#wal.fd, { bigint: true })
    this.#lastFrame = undefined
    if (this.#shrinking === undefined) return
    this.#shrinking = undefined
    this.#database.stats = fstatSync(this.#database.fd, { bigint: true })
    this.#pages = pagesIn(read(this.#database.fd, DATABASE_HEADER_BYTES)) ?? this.#pages
  }

  /**
   * From now on until `walEmptied`, a WAL checkpoint may cut the database.
   *
   * @param pages `from`: pages before; `to`: the fewest pages that may remain
   */
  allowShrinking({ from, to }: { from: number; to: number }): void {
    const { from: most, to: least } = this.#shrinking ?? { from, to }
    this.#shrinking = { from: Math.max(most, from), to: Math.min(least, to) }
  }

  get descriptors(): { database: number; wal: number } {
    return { database: this.#database.fd, wal: this.#wal.fd }
  }

  close(): void {
    closeSync(this.#database.fd)
    closeSync(this.#wal.fd)
  }

  #check(file: OpenFile, isChanged: (stats: FileStats) => boolean): FileFault | undefined {
    const stats = statsAt(file.path)
    if (stats === 'unreadable') return undefined
    if (stats === undefined) return 'removed'
    if (isOther(stats, file.stats) && isOther(stats, fstatSync(file.fd, { bigint: true }))) return 'replaced'
    if (stats.size < this.#leastBytes(file) || unlessUnreadable(() => isChanged(stats))) return 'changed'
    file.stats = stats
    return undefined
  }

  #leastBytes(file: OpenFile): bigint {
    if (file !== this.#database || this.#shrinking === undefined) return file.stats.size
    const least = BigInt(this.#shrinking.to) * BigInt(pageBytesIn(read(file.fd, DATABASE_HEADER_BYTES)))
    return least < file.stats.size ? least : file.stats.size
  }

  #isDatabaseChanged({ mtimeNs }: FileStats, pageCount: () => number): boolean {
    if (mtimeNs === this.#database.stats.mtimeNs) return false
    const pages = pagesIn(read(this.#database.fd, DATABASE_HEADER_BYTES))
    const { from, to } = this.#shrinking ?? { from: 0, to: this.#pages }
    const least = Math.min(this.#pages, to)
    const most = Math.max(pageCount(), from)
    if (pages === undefined || pages < least || pages > most) return true
    this.#pages = pages
    return false
  }

  /**
   * A WAL that was cut has a hole where SQLite continued to write: zeros in its header, or in its last frame. With each
   * header that it writes, SQLite adds one both to its count of WAL checkpoints and to its first salt.
   */
  #isWalChanged({ size, mtimeNs }: FileStats, isCommitted: boolean): boolean {
    if (size < WAL_HEADER_BYTES) return false
    const header = read(this.#wal.fd, WAL_HEADER_BYTES)
    if (isHole(header)) return this.#hasWalHeader
    const pageSize = header.readUInt32BE(8)
    const series = (header.readUInt32BE(16) - header.readUInt32BE(12)) >>> 0
    if (this.#walSeries !== undefined && series !== this.#walSeries) return true
    if (this.#lastFrame !== undefined && isHole(read(this.#wal.fd, 4, this.#lastFrame))) return true
    // The salt of the first header changes if the first commit fails, and a commit may have written nothing.
    if (!isCommitted || mtimeNs === this.#wal.stats.mtimeNs) return false
    this.#hasWalHeader = true
    this.#walSeries = series
    const frames = Math.floor((Number(size) - WAL_HEADER_BYTES) / (FRAME_HEADER_BYTES + pageSize))
    if (frames > 0) this.#lastFrame = WAL_HEADER_BYTES + (frames - 1) * (FRAME_HEADER_BYTES + pageSize)
    return false
  }

  #ownerFault(owner: { nonce: string; ino: bigint | undefined }): FileFault | undefined {
    const path = ownerFile(this.path)
    const stats = statsAt(path)
    if (stats === 'unreadable' || stats?.ino === owner.ino) return undefined
    if (stats === undefined) return 'removed'
    // The owner replaces the file with every announcement.
    if (unlessUnreadable(() => nonceIn(path) !== owner.nonce)) return 'replaced'
    owner.ino = stats.ino
    return undefined
  }
}

function openFile(path: string): OpenFile {
  const fd = openSync(path, 'r')
  return { path, fd, stats: fstatSync(fd, { bigint: true }) }
}

/** A failing disk proves nothing about the file: the next check decides. */
function unlessUnreadable(isFound: () => boolean): boolean {
  try {
    return isFound()
  } catch (error) {
    if (error instanceof Error && 'errno' in error) return false
    throw error
  }
}

/** Some network file systems change the numbers of an open file later; its path then has the same numbers. */
function isOther(one: FileStats, other: FileStats): boolean {
  return one.ino !== other.ino || one.dev !== other.dev
}

function statsAt(path: string): BigIntStats | 'unreadable' | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    return isErrno(error, 'ENOTDIR') ? undefined : 'unreadable'
  }
}

function nonceIn(path: string): string | undefined {
  try {
    return parseOwner(readFileSync(path, 'utf8'))?.nonce
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  }
}

function read(fd: number, bytes: number, position = 0): Buffer {
  const buffer = Buffer.alloc(bytes)
  readSync(fd, buffer, 0, bytes, position)
  return buffer
}

function isHole(bytes: Buffer): boolean {
  return bytes.every(byte => byte === 0)
}

/** Source: SQLite, "Database File Format", 1.3.2. */
function pageBytesIn(header: Buffer): number {
  const bytes = header.readUInt16BE(16)
  return bytes === 1 ? 65_536 : bytes
}

/** `undefined` if the file is not a database. */
function pagesIn(header: Buffer): number | undefined {
  return header.toString('latin1', 0, 16) === 'SQLite format 3\0' ? header.readUInt32BE(28) : undefined
}
