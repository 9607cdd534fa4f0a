import type { CopyPage, CopyRange } from '../../copy-store.js'
import { contentDigest } from '../../event-digest.js'
import type { LedgerHead } from '../../event-store.js'
import type { PrunedEvents } from '../erase/pruned-events.js'
import { prunedTombstone } from '../erase/stored-tombstone.js'
import type { Database, Row } from '../files/database.js'
import { changeNumbering, newestChange } from '../write/event-changes.js'
import { readContent, storedContentDigest } from './event-content.js'
import { readBounds } from './ledger-bounds.js'

const LAST_UP_TO = /* sql */ `
  SELECT seq, captured_us, digest FROM events WHERE captured_us <= ? ORDER BY captured_us DESC LIMIT 1`
const AT = /* sql */ `SELECT seq, captured_us, digest FROM events WHERE seq = ?`

/** Events, or changes of events, by a rising number. */
interface Listing {
  sizes: string
  bodies: string
  /** Text around each line. */
  before: string
  after: string
}

const SIZE = 'octet_length(body) AS bytes, content_digest'
/** Leaves out the body of a removed event: a page contains its tombstone instead. */
const BODY = 'CASE WHEN events.seq > ?1 THEN CAST(body AS BLOB) END AS body, content_digest'
const CHANGED = 'event_changes JOIN events ON events.seq = event_changes.seq'
const EVENTS: Listing = {
  sizes: /* sql */ `SELECT seq, seq AS number, ${SIZE} FROM events WHERE seq > ? ORDER BY seq LIMIT ?`,
  bodies: /* sql */ `SELECT seq, ${BODY} FROM events WHERE seq > ?2 ORDER BY seq LIMIT ?3`,
  before: '',
  after: '\n',
}
const CHANGES: Listing = {
  sizes: /* sql */ `SELECT events.seq, number, ${SIZE} FROM ${CHANGED} WHERE number > ? ORDER BY number LIMIT ?`,
  bodies: /* sql */ `SELECT events.seq, ${BODY} FROM ${CHANGED} WHERE number > ?2 ORDER BY number LIMIT ?3`,
  before: '{"changed":',
  after: '}\n',
}

/** Lines that fit into a page. */
interface Fitting {
  lines: Buffer[]
  bytes: number
  /** Number of the last line; without lines, the number from which the page was read. */
  number: number
  /** The size of the first line that does not fit. */
  needed?: number
}

/** Reads one page for another ledger to copy, without a pause. */
export function readCopyPage(
  database: Database,
  { pruned, epoch }: { readonly pruned: PrunedEvents; readonly epoch: string },
  range: CopyRange,
): CopyPage {
  const { since, limit, maxBytes } = range
  const { seq: last, head } = readBounds(database)
  const after = since === null ? undefined : database.first(LAST_UP_TO, since)
  const newest = newestChange(database)
  const reader = new LineReader(database, pruned.through)
  const events = reader.read(EVENTS, { from: Number(after?.seq ?? 0), limit, maxBytes })
  const changes = reader.read(CHANGES, { from: range.changes ?? newest, limit, maxBytes: maxBytes - events.bytes })
  const isEmpty = events.lines.length + changes.lines.length === 0
  const needed = isEmpty ? (events.needed ?? changes.needed) : undefined
  return {
    lines: joined([...events.lines, ...changes.lines]),
    events: events.lines.length,
    through: toHead(events.lines.length > 0 ? database.first(AT, events.number) : after),
    changes: changes.number,
    numbering: changeNumbering(database),
    eventsLeft: last - events.number,
    hasMore: events.number < last || changes.number < newest,
    ...(needed === undefined ? {} : { neededBytes: needed }),
    head,
    epoch,
  }
}

class LineReader {
  constructor(
    private readonly database: Database,
    /** `seq` of the newest event that retention has removed. */
    private readonly prunedThrough: number,
  ) {}

  read(listing: Listing, { from, limit, maxBytes }: { from: number; limit: number; maxBytes: number }): Fitting {
    const around = listing.before.length + listing.after.length
    const removed = new Map<number, Buffer>()
    const fitting: Fitting = { lines: [], bytes: 0, number: from }
    let rows = 0
    for (const row of this.database.all(listing.sizes, from, limit)) {
      const seq = Number(row.seq)
      if (seq <= this.prunedThrough) removed.set(seq, this.#removedLine(row))
      const bytes = around + (removed.get(seq)?.length ?? Number(row.bytes) + (row.content_digest ? MARKED_BYTES : 0))
      if (fitting.bytes + bytes > maxBytes) {
        fitting.needed = bytes
        break
      }
      fitting.bytes += bytes
      fitting.number = Number(row.number)
      rows++
    }
    if (rows === 0) return fitting
    const [before, after] = [Buffer.from(listing.before), Buffer.from(listing.after)]
    for (const row of this.database.all(listing.bodies, this.prunedThrough, from, rows)) {
      const line = removed.get(Number(row.seq)) ?? withDigest(Buffer.from(row.body as Uint8Array), row)
      fitting.lines.push(Buffer.concat([before, line, after]))
    }
    return fitting
  }

  /** Its row may still have its content. */
  #removedLine(row: Row): Buffer {
    const seq = Number(row.seq)
    const tombstone = Buffer.from(JSON.stringify(prunedTombstone(this.database, seq)))
    return marked(tombstone, storedContentDigest(row) ?? contentDigest(readContent(this.database, seq)))
  }
}

const MARKED_BYTES = marked(Buffer.alloc(0), '').length + 64

function withDigest(body: Buffer, row: Row): Buffer {
  const digest = storedContentDigest(row)
  return digest === undefined ? body : marked(body, digest)
}

/** @param digest as `contentDigest` returns it */
function marked(body: Buffer, digest: string): Buffer {
  const hex = Buffer.from(digest, 'latin1').toString('hex')
  return Buffer.concat([Buffer.from(`{"content_digest":"${hex}","event":`), body, Buffer.from('}')])
}

/** In a separate buffer, which can be transferred. */
function joined(lines: readonly Buffer[]): Uint8Array {
  const joined = new Uint8Array(lines.reduce((size, line) => size + line.length, 0))
  let end = 0
  for (const line of lines) {
    joined.set(line, end)
    end += line.length
  }
  return joined
}

function toHead(row: Row | undefined): LedgerHead | null {
  if (!row) return null
  const digest = row.digest as Uint8Array | null
  return { capturedAt: Number(row.captured_us), digest: digest ? Buffer.from(digest).toString('hex') : null }
}
