import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { byteLines, isBlank, startingWith } from '../../client/lines.js'
import { AppError } from '../../model/app-error.js'
import { ERASED_KIND } from '../../model/events/erasure.js'
import type { LedgerImport } from '../../model/ledger-copy.js'
import type { LocalSettings } from '../../settings/local-settings.js'
import { type OpenLedger, openLedger } from '../open-ledger.js'
import { type CopyLine, findCopyLine, readCopyLine } from './copy-lines.js'
import { IdenticalImport, requireHeader } from './identical-import.js'
import { MergingImport, RemovedLater } from './merging-import.js'

interface ImportOptions {
  /** Record missing events in a ledger that already has events. */
  merge: boolean
  /** Keep the epoch: the exported ledger is no longer used, and consumers continue here. */
  keepEpoch: boolean
  /**
   * Reads the same bytes from their beginning; absent for a pipe. With `merge`, events that later lines erase or remove are
   * found first, so that they are never recorded.
   */
  readAgain?: (() => AsyncIterable<Uint8Array>) | undefined
  onProgress?: (progress: { lines: number }) => void
}

/** Takes the lines of an export one by one. */
export interface LineImport {
  /** How many lines are not stored yet. */
  readonly waiting: number
  /** @throws AppError for this line, or for the lines that are not stored yet */
  take(line: CopyLine): Promise<void>
  /** Call it after the last line. */
  finish(): Promise<Omit<LedgerImport, 'database'>>
}

/** No event is longer. */
const MAX_LINE_BYTES = 64 * 1024 * 1024
const GZIP = [0x1f, 0x8b]
const LINE_FEED = 10
/** Texts in lines that begin an export or report a removal. */
const NOTED = ['{"export":', '{"changed":{"content_digest":', `"${ERASED_KIND}"`].map(text => Buffer.from(text))

/**
 * Imports an export into a new ledger, which becomes identical. With `merge`, adds missing events to another one.
 *
 * @throws AppError `conflict/ledger_not_empty`, `conflict/ledger_owned`, `conflict/copy_differs`, `invalid/invalid_line`,
 *   `invalid/export_incomplete`, `invalid/export_partial`, `invalid/export_unreadable`
 */
export async function importLedger(
  settings: LocalSettings,
  chunks: AsyncIterable<Uint8Array>,
  options: ImportOptions,
): Promise<LedgerImport> {
  const lines = linesOf(chunks)
  try {
    // Before the ledger is opened: a new one would stay if this is no export.
    const first = await lines.next()
    requireExport(first.done ? undefined : first.value, options)
    const all = first.done ? lines : startingWith(first.value, lines)
    const opened = await openLedger({ ...settings, continuesImport: !options.merge }, 'command')
    try {
      return { database: opened.database, ...(await importLines(opened, all, options)) }
    } finally {
      await opened.close()
    }
  } finally {
    await lines.return(undefined)
  }
}

/** Like `importLedger`, into an open ledger. */
export function importInto(
  opened: Pick<OpenLedger, 'ledger' | 'store'>,
  chunks: AsyncIterable<Uint8Array>,
  options: ImportOptions,
): Promise<Omit<LedgerImport, 'database'>> {
  return importLines(opened, linesOf(chunks), options)
}

/** A line that is not blank, without its line feed. */
interface NumberedLine {
  number: number
  line: Buffer
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<NumberedLine> {
  let number = 0
  for await (const bytes of byteLines(unpacked(chunks), MAX_LINE_BYTES)) {
    number++
    const line = withoutFeed(bytes)
    if (!isBlank(line)) yield { number, line }
  }
}

/** Refuses what does not begin as an export does. @param first absent if there are no lines */
function requireExport(first: NumberedLine | undefined, { merge }: ImportOptions): void {
  try {
    const line = first && readCopyLine(first.line)
    if (!merge) requireHeader(line)
  } catch (error) {
    throw first ? atLines(error, { from: 1, to: first.number }) : atEnd(error, 0)
  }
}

async function importLines(
  opened: Pick<OpenLedger, 'ledger' | 'store'>,
  all: AsyncIterable<NumberedLine>,
  { merge, keepEpoch, readAgain, onProgress = () => {} }: ImportOptions,
): Promise<Omit<LedgerImport, 'database'>> {
  const lines = merge
    ? new MergingImport(opened, await findRemoved(readAgain?.()))
    : await IdenticalImport.begin(opened.store, keepEpoch)
  let read = 0
  /** Lines from here on may not be stored yet. */
  let stored = 0
  for await (const { number, line } of all) {
    read = number
    try {
      await lines.take(readCopyLine(line))
    } catch (error) {
      throw atLines(error, { from: stored + 1, to: number })
    }
    stored = lines.waiting === 0 ? number : stored
    onProgress({ lines: number })
  }
  try {
    return await lines.finish()
  } catch (error) {
    throw lines.waiting === 0 ? atEnd(error, read) : atLines(error, { from: stored + 1, to: read })
  }
}

/** @param chunks absent for a pipe */
async function findRemoved(chunks: AsyncIterable<Uint8Array> | undefined): Promise<RemovedLater> {
  const removed = new RemovedLater()
  if (!chunks) return removed
  for await (const bytes of byteLines(unpacked(chunks), MAX_LINE_BYTES)) {
    // Most lines are not parsed. One that is not acceptable is refused when it is imported.
    if (!NOTED.some(text => bytes.includes(text))) continue
    const line = findCopyLine(withoutFeed(bytes))
    if (line) removed.note(line)
  }
  removed.rewind()
  return removed
}

function withoutFeed(line: Buffer): Buffer {
  return line.at(-1) === LINE_FEED ? line.subarray(0, -1) : line
}

/** Unpacks compressed input, under any file name. @throws AppError `invalid/export_unreadable` */
async function* unpacked(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  // The first chunks of a pipe may be shorter than the two bytes that tell.
  for (let next = await source.next(); !next.done; next = await source.next()) {
    head = Buffer.concat([head, next.value])
    if (head.length >= GZIP.length) break
  }
  const all = startingWith(head, source)
  if (!GZIP.every((byte, at) => head[at] === byte)) {
    yield* all
    return
  }
  const gunzip = createGunzip()
  // An error of the source ends `gunzip`, and a reader that stops early ends the source.
  pipeline(all, gunzip).catch(() => undefined)
  try {
    yield* gunzip
  } catch (cause) {
    if (cause instanceof AppError || !(cause instanceof Error) || !String(Reflect.get(cause, 'code')).startsWith('Z_'))
      throw cause
    throw new AppError('invalid', 'export_unreadable', `The export cannot be unpacked: ${cause.message}.`, { cause })
  }
}

/** An error at the end, after all lines were stored. */
function atEnd(error: unknown, lines: number): unknown {
  if (!(error instanceof AppError)) return error
  const { category, code, message } = error
  return new AppError(category, code, `${message} ${importedText(lines)}`, { cause: error })
}

function importedText(lines: number): string {
  if (lines === 0) return 'Nothing was imported.'
  return lines === 1 ? 'Line 1 is imported.' : `Lines 1 to ${lines} are imported.`
}

function atLines(error: unknown, { from, to }: { from: number; to: number }): unknown {
  if (!(error instanceof AppError)) return error
  const isOfLine = error.code === 'invalid_line'
  const where = isOfLine || from >= to ? `Line ${to}` : `Lines ${from} to ${to}`
  const { category, code, message } = error
  return new AppError(category, code, `${where}: ${message} ${importedText(from - 1)}`, { cause: error })
}
