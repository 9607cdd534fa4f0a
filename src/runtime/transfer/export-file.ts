import { constants } from 'node:fs'
import { type FileHandle, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { gzip, inflateRawSync } from 'node:zlib'
import { byteLines, endsWithFeed } from '../../client/lines.js'
import { AppError } from '../../model/app-error.js'
import type { CopyPageLine, ExportHeader } from '../../model/ledger-copy.js'
import { exists, syncFolder } from '../../store/sqlite/files/file-system.js'
import { toNewFileError } from '../../store/sqlite/files/new-copy.js'
import { findCopyLine } from './copy-lines.js'

/** The end of the complete pages of an unfinished export. */
interface ExportedSoFar {
  header: ExportHeader
  /** The last complete page. */
  page: CopyPageLine
  events: number
  /** Length of the file up to there, in bytes. */
  bytes: number
}

/** The target of an export, written a page at a time. */
export interface ExportTarget {
  /** The complete part of an interrupted export; undefined for a new one. */
  readonly begun: ExportedSoFar | undefined
  write(lines: Buffer): Promise<void>
  /** Completes the export. */
  finish(): Promise<void>
  /** Keeps the written part, so that the export can be continued. */
  close(): Promise<void>
}

const compress = promisify(gzip)
/** Number of bytes between syncs: a larger sync would delay other programs. */
const SYNC_BYTES = 8 * 1024 * 1024
const READ_BYTES = 4 * 1024 * 1024
/** Bytes around the data of a gzip member as zlib writes it. Source: RFC 1952. */
const GZIP = { head: 10, tail: 8 }
const PAGE = Buffer.from('{"page":')
const OTHERS = ['{"page":', '{"export":', '{"changed":', '{"subscription":', '{"user":', '{"token":', '{"end":'].map(
  text => Buffer.from(text),
)

/**
 * A file that gets its final name only when it is complete; until then it is `<name>.part`. If the name ends with
 * `.gz`, each write is compressed separately, so that the file can be continued after any write.
 *
 * @throws AppError `conflict/file_exists`, `conflict/export_running`, `invalid/path_unusable`, `unavailable/store_full`,
 *   `invalid/export_unreadable`
 */
export async function openExportFile(path: string, { canContinue = true } = {}): Promise<ExportTarget> {
  if (await refusing(path, () => exists(path))) {
    throw new AppError('conflict', 'file_exists', `There is a file at ${path} already.`, { hint: 'Name a new file.' })
  }
  const part = `${path}.part`
  const isCompressed = path.endsWith('.gz')
  const file = await refusing(path, () => open(part, constants.O_RDWR | constants.O_CREAT, 0o600))
  try {
    const begun = canContinue ? await findEnd(file, isCompressed) : undefined
    await file.truncate(begun?.bytes ?? 0)
    let end = begun?.bytes ?? 0
    let unsynced = 0
    // Another process may have opened the same file since. Their lines must not mix.
    const refuseOther = async () => {
      if ((await file.stat()).size === end) return
      throw new AppError('conflict', 'export_running', `Another export writes to ${path} too.`, {
        hint: 'Let only one run at a time, or name another file.',
      })
    }
    return {
      begun,
      write: async lines => {
        const bytes = isCompressed ? await compress(lines) : lines
        await refusing(path, async () => {
          await refuseOther()
          await writeAll(file, bytes, end)
          end += bytes.length
          unsynced += bytes.length
          if (unsynced < SYNC_BYTES) return
          await file.datasync()
          unsynced = 0
        })
      },
      finish: () =>
        refusing(path, async () => {
          await refuseOther()
          await file.sync()
          await rename(part, path)
          syncFolder(dirname(path))
        }),
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Standard output. */
export function exportStream(stream: NodeJS.WritableStream): ExportTarget {
  const write = (lines: Buffer) =>
    new Promise<void>((resolve, reject) => stream.write(lines, error => (error ? reject(error) : resolve())))
  return { begun: undefined, write, finish: async () => {}, close: async () => {} }
}

/** One write may write only a part, for instance of what still fits on a full disk. */
async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written)
    written += bytesWritten
  }
}

async function refusing<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw toNewFileError(path, error)
  }
}

/** The last complete page of an unfinished export. */
async function findEnd(file: FileHandle, isCompressed: boolean): Promise<ExportedSoFar | undefined> {
  let header: ExportHeader | undefined
  let found: ExportedSoFar | undefined
  let events = 0
  for await (const { line, end } of isCompressed ? compressedLines(file) : plainLines(file)) {
    if (!header) {
      header = readHeader(line)
    } else if (line.subarray(0, PAGE.length).equals(PAGE)) {
      const last = findCopyLine(line)
      if (last?.kind === 'page') found = { header, page: last.value, events, bytes: end }
    } else if (!OTHERS.some(start => line.subarray(0, start.length).equals(start))) {
      events++
    }
  }
  return found
}

function readHeader(line: Buffer): ExportHeader {
  const first = findCopyLine(line)
  if (first?.kind === 'export') return first.value
  throw new AppError('conflict', 'export_differs', 'The file that ends with .part is not an unfinished export.', {
    hint: 'Remove it, or name another file.',
  })
}

interface PlacedLine {
  line: Buffer
  /** Position in bytes at which the file can be continued after this line. */
  end: number
}

async function* plainLines(file: FileHandle): AsyncGenerator<PlacedLine> {
  let end = 0
  for await (const line of byteLines(chunksOf(file))) {
    if (!endsWithFeed(line)) return
    end += line.length
    yield { line: line.subarray(0, -1), end }
  }
}

async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** Reads the gzip members one by one, and ends at an incomplete one. */
async function* compressedLines(file: FileHandle): AsyncGenerator<PlacedLine> {
  const { size } = await file.stat()
  for (let start = 0; start < size; ) {
    const member = await readMember(file, start, size)
    if (!member) return
    start += member.bytes
    for (let from = 0, feed = member.text.indexOf(10); feed !== -1; feed = member.text.indexOf(10, from)) {
      yield { line: member.text.subarray(from, feed), end: start }
      from = feed + 1
    }
  }
}

async function readMember(
  file: FileHandle,
  start: number,
  size: number,
): Promise<{ text: Buffer; bytes: number } | undefined> {
  for (let length = READ_BYTES; ; length *= 2) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(length, size - start)), 0, undefined, start)
    const inflated = inflate(buffer.subarray(GZIP.head, bytesRead))
    if (inflated) {
      const bytes = GZIP.head + inflated.bytes + GZIP.tail
      return start + bytes <= size ? { text: inflated.text, bytes } : undefined
    }
    if (start + bytesRead >= size) return undefined
  }
}

/** @returns undefined if the bytes end too early, or are damaged */
function inflate(bytes: Buffer): { text: Buffer; bytes: number } | undefined {
  try {
    const { buffer, engine } = inflateRawSync(bytes, { info: true }) as unknown as {
      buffer: Buffer
      engine: { bytesWritten: number }
    }
    return { text: buffer, bytes: engine.bytesWritten }
  } catch {
    return undefined // the caller reads more, or continues the file there
  }
}
