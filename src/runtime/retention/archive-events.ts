import { createHash, type Hash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { AppError } from '../../model/app-error.js'
import type { EventPage, EventQuery } from '../../model/events/event-query.js'
import { makeFolder } from '../../model/files/make-folder.js'
import { findTimestamp, type Micros, toTimestamp } from '../../model/timestamp.js'
import { splitElements } from '../../server/request/split-json.js'
import { syncFolder } from '../../store/sqlite/files/file-system.js'

const LINE_FEED = 0x0a
const NAME = /^events-([\dT.]+Z)-([\dT.]+Z)\.jsonl\.gz$/
const PAGE = { order: 'asc', limit: 500, maxBytes: 4 * 1024 * 1024 } as const

/** The events to archive. */
interface ArchiveRange {
  /** Only events after this instant; null: from the first event on. */
  since: Micros | null
  /** `captured_at` of the first of them. */
  first: Micros
  /** Up to this instant. */
  to: Micros
  /** Maximum number of events. */
  limit: number
}

export interface Archive {
  /** Absolute. */
  path: string
  events: number
  /** `captured_at` of the newest event in it. */
  through: Micros
}

/**
 * Writes events to a new file in a folder, as JSON lines, compressed: `events-<first>-<last>.jsonl.gz`, as
 * `GET /api/export` writes them. The file gets its final name only when it is on the disk, and was read back and
 * compared.
 *
 * @param query reads a page
 * @returns undefined if there are no such events
 * @throws AppError `unavailable/archive_failed`; the signal's reason
 */
export async function archiveEvents(
  folder: string,
  range: ArchiveRange,
  query: (query: EventQuery, signal: AbortSignal) => Promise<EventPage>,
  signal: AbortSignal,
): Promise<Archive | undefined> {
  const part = join(folder, '.events.jsonl.gz.part')
  const written: Written = { events: 0, first: undefined, through: undefined, hash: createHash('sha256') }
  try {
    await makeFolder(folder)
    const to = (await endOfEarlier(folder, range)) ?? range.to
    try {
      const file = createWriteStream(part, { mode: 0o600, flush: true })
      const lines = Readable.from(linesOf({ ...range, to }, written, async wanted => query(wanted, signal)))
      await pipeline(lines, createGzip(), file, { signal })
      const { first, through, events } = written
      if (first === undefined || through === undefined) return undefined
      if (!(await readDigest(part, signal)).equals(written.hash.digest())) throw new Error('the file has other bytes')
      const path = join(folder, `events-${nameOf(first)}-${nameOf(through)}.jsonl.gz`)
      await rename(part, path)
      syncFolder(dirname(path))
      return { path, events, through }
    } finally {
      await rm(part, { force: true })
    }
  } catch (error) {
    if (signal.aborted || error instanceof AppError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    const detail = `Events could not be archived in ${folder}: ${reason}. Nothing was removed.`
    throw new AppError('unavailable', 'archive_failed', detail, {
      hint: 'Check the folder in EVENT_ARCHIVE_DIR.',
      cause: error,
    })
  }
}

/**
 * The last event of an earlier archive of these events, which could not be removed after it was written, or which were
 * erased meanwhile: the same events are archived under the same name again.
 */
async function endOfEarlier(folder: string, { first, to }: ArchiveRange): Promise<Micros | undefined> {
  for (const name of await readdir(folder)) {
    const [, begin, end = ''] = NAME.exec(name) ?? []
    const last = findTimestamp(end.replace(/^(....)(..)(..T..)(..)/, '$1-$2-$3:$4:'))?.micros
    if (begin === nameOf(first) && last !== undefined && last <= to) return last
  }
  return undefined
}

interface Written {
  events: number
  first: Micros | undefined
  through: Micros | undefined
  /** Digest of the lines. */
  hash: Hash
}

async function* linesOf(
  { since, to, limit }: ArchiveRange,
  written: Written,
  query: (query: EventQuery) => Promise<EventPage>,
): AsyncGenerator<Buffer> {
  let range: Pick<EventQuery, 'since' | 'to'> = { to, ...(since === null ? {} : { since }) }
  while (written.events < limit) {
    const left = Math.min(PAGE.limit, limit - written.events)
    let page = await query({ ...PAGE, ...range, limit: left })
    if (page.neededBytes !== undefined) page = await query({ ...PAGE, ...range, limit: 1, maxBytes: page.neededBytes })
    if (page.count === 0 || page.latestCapturedAt === null) return
    const lines = toLines(page)
    written.hash.update(lines)
    written.events += page.count
    written.first ??= page.oldestCapturedAt ?? undefined
    written.through = page.latestCapturedAt
    yield lines
    if (!page.hasMore) return
    range = { to, since: page.latestCapturedAt }
  }
}

/** The commas between the events become line feeds. */
function toLines({ items }: EventPage): Buffer {
  const bytes = Buffer.from(items.buffer, items.byteOffset, items.byteLength)
  const lines = [...splitElements(bytes)].flatMap(event => [event, Buffer.of(LINE_FEED)])
  return Buffer.concat(lines)
}

async function readDigest(path: string, signal: AbortSignal): Promise<Buffer> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), createGunzip(), hash, { signal })
  return hash.digest()
}

/** For file names: `20310504T090000.000000Z` */
function nameOf(at: Micros): string {
  return toTimestamp(at).replaceAll(/[-:]/gu, '')
}
