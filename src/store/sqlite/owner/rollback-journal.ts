import { type FileHandle, open, stat, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError } from '../../../model/app-error.js'
import { exists, ifPresent, syncFolder } from '../files/file-system.js'

interface JournalHeader {
  /** `undefined`: as many as the file holds (the writer did not sync). */
  records: number | undefined
  nonce: number
  /** Size of the database before the transaction, in pages. */
  pages: number
  sectorSize: number
  pageSize: number
}

const MAGIC = Buffer.from('d9d505f920a163d7', 'hex')
const HEADER_BYTES = 28
const PENDING_BYTE = 0x40000000
const MAX_NAME_BYTES = 4_096

/**
 * Rolls back a transaction that was interrupted in rollback journal mode, as SQLite itself does when it opens the file:
 * it writes the pages of `<database>-journal` back, cuts the database to its former size, syncs it, and only then deletes
 * the journal. If the process dies at any instruction, the journal remains, and the next call does the same again.
 *
 * node-sqlite3-wasm never does this. A journal counts as hot only if no process holds a lock, and it finds its own lock
 * folder. So it would open the half-written database. An ordinary SQLite that only reads the ledger later would then
 * find the journal and write old pages (for a new ledger: none) over newer events. Both were seen. Our own ledger can
 * have such a journal if the process is killed during its first change to WAL; a legacy file can have one at any time.
 *
 * No other process may have the database open.
 *
 * @param database real path
 * @returns whether there was a transaction to roll back
 * @throws AppError `conflict/ledger_journal_stale` if there is a WAL next to the journal: they exclude each other, and
 *   the rollback could destroy the pages that the WAL builds on
 *
 * Source: SQLite, "Database File Format", 3 "The Rollback Journal"; "Atomic Commit In SQLite", 4 and 5.
 */
export async function recoverHotJournal(database: string): Promise<boolean> {
  const path = `${database}-journal`
  const journal = await ifPresent(open(path, 'r'))
  if (journal === undefined) return false
  let hot: boolean
  try {
    hot = await isHot(journal, database)
    if (hot) await playBack(journal, database)
  } finally {
    await journal.close()
  }
  await unlink(path)
  syncFolder(dirname(database))
  return hot
}

async function isHot(journal: FileHandle, database: string): Promise<boolean> {
  const firstByte = await readAt(journal, 0, 1)
  // A first byte of zero, or no byte, marks a finished journal that was not deleted.
  if (firstByte[0] === undefined || firstByte[0] === 0) return false
  if ((await sizeOf(database)) === 0) return false
  if ((await sizeOf(`${database}-wal`)) > 0) {
    const message = `The database ${database} has both a rollback journal and a write-ahead log.`
    throw new AppError('conflict', 'ledger_journal_stale', message, {
      hint: `Make a copy of all three, then move ${database}-journal away and start again.`,
    })
  }
  const superJournal = await superJournalOf(journal)
  // A transaction over several databases is committed once its super-journal is gone.
  return superJournal === undefined || (await exists(superJournal))
}

async function playBack(journal: FileHandle, database: string): Promise<void> {
  const size = (await journal.stat()).size
  const first = readHeader(await readAt(journal, 0, HEADER_BYTES))
  if (first === undefined) return
  const file = await open(database, 'r+')
  try {
    await file.truncate(first.pages * first.pageSize)
    await playSegments(journal, { file, first, size })
    await file.sync()
  } finally {
    await file.close()
  }
}

/** A journal has one or more segments: a header at the start of a sector, then its records. */
async function playSegments(
  journal: FileHandle,
  { file, first, size }: { file: FileHandle; first: JournalHeader; size: number },
): Promise<void> {
  const { pageSize, sectorSize } = first
  const written = new Set<number>()
  let at = 0
  while (at + sectorSize <= size) {
    const header = readHeader(await readAt(journal, at, HEADER_BYTES))
    if (header === undefined) return
    at += sectorSize
    const records = header.records ?? Math.floor((size - at) / (pageSize + 8))
    for (let n = 0; n < records; n += 1) {
      const record = await readAt(journal, at, pageSize + 8)
      const page = readRecord(record, pageSize, header.nonce)
      // Incomplete or never synced: then the page in the database was not overwritten.
      if (page === undefined) return
      at += pageSize + 8
      if (page.number > first.pages || written.has(page.number)) continue
      written.add(page.number)
      await file.write(page.data, 0, pageSize, (page.number - 1) * pageSize)
    }
    at = Math.ceil(at / sectorSize) * sectorSize
  }
}

function readHeader(bytes: Buffer): JournalHeader | undefined {
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, 8).equals(MAGIC)) return undefined
  const records = bytes.readUInt32BE(8)
  const sectorSize = bytes.readUInt32BE(20)
  const pageSize = bytes.readUInt32BE(24)
  if (!isPowerOfTwo(sectorSize, 32, 65_536) || !isPowerOfTwo(pageSize, 512, 65_536)) return undefined
  return {
    records: records === 0xffffffff ? undefined : records,
    nonce: bytes.readUInt32BE(12),
    pages: bytes.readUInt32BE(16),
    sectorSize,
    pageSize,
  }
}

function readRecord(bytes: Buffer, pageSize: number, nonce: number): { number: number; data: Buffer } | undefined {
  if (bytes.length < pageSize + 8) return undefined
  const number = bytes.readUInt32BE(0)
  if (number === 0 || number === PENDING_BYTE / pageSize + 1) return undefined
  const data = bytes.subarray(4, 4 + pageSize)
  let sum = nonce
  for (let at = pageSize - 200; at > 0; at -= 200) sum += data[at] ?? 0
  return sum >>> 0 === bytes.readUInt32BE(4 + pageSize) ? { number, data } : undefined
}

/** The name at the end of the journal, if there is one: name, its length, its checksum, the magic bytes again. */
async function superJournalOf(journal: FileHandle): Promise<string | undefined> {
  const size = (await journal.stat()).size
  if (size < 16) return undefined
  const tail = await readAt(journal, size - 16, 16)
  const length = tail.readUInt32BE(0)
  if (!tail.subarray(8).equals(MAGIC) || length === 0 || length > MAX_NAME_BYTES || length > size - 16) return undefined
  const name = await readAt(journal, size - 16 - length, length)
  const sum = name.reduce((total, byte) => total + (byte > 127 ? byte - 256 : byte), 0)
  return sum >>> 0 === tail.readUInt32BE(4) ? name.toString('utf8') : undefined
}

function isPowerOfTwo(value: number, least: number, most: number): boolean {
  return value >= least && value <= most && (value & (value - 1)) === 0
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

async function sizeOf(path: string): Promise<number> {
  return (await ifPresent(stat(path)))?.size ?? 0
}
