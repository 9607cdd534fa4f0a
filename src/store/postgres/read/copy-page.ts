import type { Micros } from '../../../model/timestamp.js'
import type { CopyPage, CopyRange } from '../../copy-store.js'
import type { LedgerHead } from '../../event-store.js'
import type { Connection, Row } from '../connection/connection.js'
import { type PrunedEvent, readRemoved } from '../erase/stored-tombstone.js'

const CLOCK = /* sql */ `
  SELECT last_us, seq, digest, changes, pruned_us, (SELECT value FROM meta WHERE name = 'epoch') AS epoch,
    (SELECT value FROM meta WHERE name = 'change_numbering') AS numbering
  FROM ledger_clock`
/** The newest event up to an instant, stored or removed. */
const LAST_UP_TO = /* sql */ `
  SELECT captured_us, seq, encode(digest, 'hex') AS digest FROM (
    (SELECT captured_us, seq, digest FROM events WHERE captured_us <= $1 ORDER BY captured_us DESC LIMIT 1)
    UNION ALL (SELECT captured_us, seq, digest FROM pruned_events WHERE captured_us <= $1 ORDER BY captured_us DESC LIMIT 1)
  ) AS last ORDER BY captured_us DESC LIMIT 1`
/** Removed events, whose rows may still exist. */
const REMOVED = /* sql */ `
  SELECT captured_us FROM (
    (SELECT captured_us FROM pruned_events WHERE captured_us > $1 AND captured_us <= $2 ORDER BY captured_us LIMIT $3)
    UNION ALL (SELECT captured_us FROM events WHERE captured_us > $1 AND captured_us <= $2 ORDER BY captured_us LIMIT $3)
  ) AS removed ORDER BY captured_us LIMIT $3`

/** Bytes added around the body of an erased event. */
const MARKED_BYTES = marked('0'.repeat(64), '').length
const SIZE = `octet_length(body) + octet_length(tail) + CASE WHEN content_digest IS NULL THEN 1 ELSE ${MARKED_BYTES + 1} END`
/** Selects rows with their bodies, as far as the bodies fit into `$3` bytes. */
const fitting = (rows: string, order: string) => /* sql */ `
  SELECT captured_us, number, bytes, content_digest, CASE WHEN upto <= $3::bigint THEN body || tail END AS event
  FROM (
    SELECT *, sum(bytes) OVER (ORDER BY ${order})::bigint AS upto FROM (${rows}) AS listed
  ) AS summed ORDER BY ${order}`
const EVENTS = fitting(
  /* sql */ `
  SELECT captured_us, captured_us AS number, body, tail, content_digest, ${SIZE} AS bytes
  FROM events WHERE captured_us > $1 ORDER BY captured_us LIMIT $2`,
  'captured_us',
)
/** An event without a row was removed, or is of a partition that was detached. */
const CHANGES = fitting(
  /* sql */ `
  SELECT event_changes.captured_us, number, body, tail, content_digest, coalesce(${SIZE}, 0) AS bytes
  FROM event_changes LEFT JOIN events ON events.captured_us = event_changes.captured_us AND events.captured_us > $4
  WHERE number > $1 ORDER BY number LIMIT $2`,
  'number',
)

interface Line {
  /** The number after which the next page begins. */
  number: number
  bytes: Buffer
}

/** Lines that fit into a page. */
class Lines {
  readonly lines: Line[] = []
  bytes = 0
  /** The size of the first line that does not fit. */
  needed: number | undefined

  constructor(private readonly maxBytes: number) {}

  get left(): number {
    return this.maxBytes - this.bytes
  }

  /** @param size of the line @param line returns undefined if the database left the line out because of its size */
  add(size: number, line: () => Line | undefined): boolean {
    const made = size <= this.left ? line() : undefined
    if (!made || made.bytes.length > this.left) {
      this.needed = made?.bytes.length ?? size
      return false
    }
    this.lines.push(made)
    this.bytes += made.bytes.length
    return true
  }
}

/** Reads a part of the ledger for another one, from one snapshot. */
export function readCopyPage(connection: Connection, range: CopyRange): Promise<CopyPage> {
  return connection.snapshot(async () => {
    const [clock] = await connection.run(CLOCK)
    const last = Number(clock?.seq) === 0 ? null : Number(clock?.last_us)
    const [after] = range.since === null ? [] : await connection.run(LAST_UP_TO, range.since)
    const pruned = Number(clock?.pruned_us)
    const newest = Number(clock?.changes)
    const events = await readEvents(connection, Number(after?.captured_us ?? -1), pruned, range)
    const changes = await readChanges(connection, { pruned, newest, range, maxBytes: events.left })
    const isEmpty = events.lines.length + changes.found.lines.length === 0
    const needed = isEmpty ? (events.needed ?? changes.found.needed) : undefined
    const end = events.lines.at(-1)
    const [through] = end ? await connection.run(LAST_UP_TO, end.number) : [after]
    return {
      lines: Buffer.concat([...events.lines, ...changes.found.lines].map(({ bytes }) => bytes)),
      events: events.lines.length,
      through: toHead(through),
      changes: changes.through,
      numbering: String(clock?.numbering),
      eventsLeft: Number(clock?.seq) - Number(through?.seq ?? 0),
      hasMore: Number(through?.seq ?? 0) < Number(clock?.seq) || changes.through < newest,
      ...(needed === undefined ? {} : { neededBytes: needed }),
      head: last,
      epoch: String(clock?.epoch),
    }
  })
}

async function readEvents(
  connection: Connection,
  after: Micros,
  pruned: Micros,
  { limit, maxBytes }: CopyRange,
): Promise<Lines> {
  const found = new Lines(maxBytes)
  const rows = after < pruned ? await connection.run(REMOVED, after, pruned, limit) : []
  const instants = rows.map(row => Number(row.captured_us))
  const removed = await readRemoved(connection, instants)
  for (const at of instants) {
    const bytes = lineOf(removed.get(at))
    if (!found.add(bytes.length, () => ({ number: at, bytes }))) return found
  }
  if (rows.length === limit) return found
  const from = Math.max(after, pruned)
  for (const row of await connection.run(EVENTS, from, limit - rows.length, found.left)) {
    const capturedAt = Number(row.captured_us)
    const line = () => {
      return row.event === null ? undefined : { number: capturedAt, bytes: Buffer.from(`${textOf(row)}\n`) }
    }
    if (!found.add(Number(row.bytes), line)) return found
  }
  return found
}

async function readChanges(
  connection: Connection,
  { pruned, newest, range, maxBytes }: { pruned: Micros; newest: number; range: CopyRange; maxBytes: number },
): Promise<{ found: Lines; through: number }> {
  const found = new Lines(maxBytes)
  let through = range.changes ?? newest
  if (through >= newest) return { found, through }
  const rows = await connection.run(CHANGES, through, range.limit, maxBytes, pruned)
  const removed = await readRemoved(
    connection,
    rows.map(row => Number(row.captured_us)).filter(at => at <= pruned),
  )
  for (const row of rows) {
    const number = Number(row.number)
    const gone = removed.get(Number(row.captured_us))
    if (gone || Number(row.bytes) > 0) {
      const changed = () => {
        const text = gone ? lineOf(gone).toString().trimEnd() : row.event === null ? undefined : textOf(row)
        return text === undefined ? undefined : { number, bytes: Buffer.from(`{"changed":${text}}\n`) }
      }
      if (!found.add(Number(row.bytes) + CHANGED_BYTES, changed)) return { found, through }
    }
    through = number
  }
  return { found, through: rows.length < range.limit ? newest : through }
}

const CHANGED_BYTES = '{"changed":}'.length

/** @throws Error for a removed event that has no row */
function lineOf(removed: PrunedEvent | undefined): Buffer {
  if (!removed) throw new Error('A removed event has no row.')
  return Buffer.from(`${marked(removed.contentDigest, JSON.stringify(removed.tombstone))}\n`)
}

function textOf({ event, content_digest }: Row): string {
  return content_digest === null ? String(event) : marked(String(content_digest), String(event))
}

/** @param digest in hex */
function marked(digest: string, body: string): string {
  return `{"content_digest":"${digest}","event":${body}}`
}

function toHead(row: Row | undefined): LedgerHead | null {
  return row ? { capturedAt: Number(row.captured_us), digest: String(row.digest) } : null
}
