import { AppError } from '../../../model/app-error.js'
import type { StoredEvent } from '../../../model/events/event.js'
import { type EventFilter, eventMatches } from '../../../model/events/event-match.js'
import { type EventPage, type EventQuery, isRange, nextCheckpoint } from '../../../model/events/event-query.js'
import type { Micros } from '../../../model/timestamp.js'
import { EDGE_BYTES, LARGE_EVENT_BYTES, outlineOf } from '../../large-event.js'
import { numberOrNull } from '../../rows/columns.js'
import { allSettled, type Connection, type Row } from '../connection/connection.js'
import { type FilterSql, filterSql, shifted } from '../search/event-filter.js'
import { type Range, windowsOf } from './event-windows.js'
import { type LedgerBounds, readBounds } from './ledger-bounds.js'

/** A page ends early, with `hasMore`, before a few huge events fill the memory. */
const PAGE_BYTES = 16 * 1024 * 1024
/** How many events a search reads at a time where the database cannot decide. */
const UNDECIDED = 64

/** The first event that retention has not removed. */
export const EARLIEST = /* sql */ `SELECT captured_us FROM events WHERE captured_us > $1 ORDER BY captured_us LIMIT 1`
/** What retention has removed. */
const BORDER = /* sql */ `
  SELECT nullif(pruned_us, 0) AS pruned_us, (
    SELECT captured_us FROM events WHERE captured_us > pruned_us ORDER BY captured_us LIMIT 1
  ) AS earliest FROM ledger_clock`

/** Whole events that fit into the remaining bytes; the first one in any case if `$5` allows it. */
const pageSql = (order: 'ASC' | 'DESC', conditions: string) => /* sql */ `
  SELECT captured_us, bytes, CASE WHEN upto <= $4::bigint OR ($5::boolean AND upto = bytes) THEN body || tail END AS event
  FROM (
    SELECT captured_us, body, tail, bytes, sum(bytes) OVER (ORDER BY captured_us ${order})::bigint AS upto
    FROM (
      SELECT captured_us, body, tail, octet_length(body) + octet_length(tail) AS bytes
      FROM events WHERE captured_us BETWEEN $1 AND $2${conditions} ORDER BY captured_us ${order} LIMIT $3
    ) AS found
  ) AS summed ORDER BY captured_us ${order}`
const PARAMETERS = 5

const EDGES = /* sql */ `
  SELECT left(body, ${EDGE_BYTES}) AS head, right(body, ${EDGE_BYTES}) || tail AS tail FROM events WHERE captured_us = $1`
/** The same, of any size in all; `event` is null for a large one, and once the others fill a page. */
const strippedSql = (order: 'ASC' | 'DESC', conditions: string) => /* sql */ `
  SELECT captured_us, bytes, CASE WHEN bytes <= ${LARGE_EVENT_BYTES} AND upto <= ${PAGE_BYTES} THEN body || tail END AS event
  FROM (
    SELECT captured_us, body, tail, bytes,
      sum(bytes) FILTER (WHERE bytes <= ${LARGE_EVENT_BYTES}) OVER (ORDER BY captured_us ${order}) AS upto
    FROM (
      SELECT captured_us, body, tail, octet_length(body) + octet_length(tail) AS bytes
      FROM events WHERE captured_us BETWEEN $1 AND $2${conditions} ORDER BY captured_us ${order} LIMIT $3
    ) AS found
  ) AS summed ORDER BY captured_us ${order}`
const STRIPPED_PARAMETERS = 3
const ORDERS = { asc: 'ASC', desc: 'DESC' } as const

/**
 * Reads a page and its checkpoint. All events up to the head are committed, so a page of several statements shows the
 * ledger as it was when the head was read, except what retention has removed since.
 */
export async function readPage(connection: Connection, query: EventQuery): Promise<EventPage> {
  const ledger = await readBounds(connection)
  const { head, epoch } = ledger
  const page = new Page(query)
  const range = rangeOf(query, ledger)
  if (range && isRange(query)) await fill(connection, page, query, range)
  else if (range) {
    for await (const window of windowsOf(connection, range, query.order)) {
      await fill(connection, page, query, window)
      if (page.hasMore) break
    }
  }
  const border = page.border ?? (await connection.run(BORDER))[0]
  const { items, count, latestCapturedAt, oldestCapturedAt, hasMore, neededBytes } = page
  const summary = { items, count, latestCapturedAt, oldestCapturedAt, hasMore }
  const needed = neededBytes === undefined ? {} : { neededBytes }
  return {
    ...summary,
    ...needed,
    nextSince: nextCheckpoint(query, summary, head),
    head,
    earliest: numberOrNull(border?.earliest),
    prunedThrough: numberOrNull(border?.pruned_us),
    epoch,
  }
}

function rangeOf(query: EventQuery, { head, prunedThrough }: LedgerBounds): Range | undefined {
  const low = Math.max((query.since ?? -1) + 1, query.from ?? 0, (prunedThrough ?? -1) + 1)
  const high = Math.min(query.to ?? Number.MAX_SAFE_INTEGER, head ?? -1)
  return low > high ? undefined : { low, high }
}

/** Adds the events of a window, until the page is full. */
async function fill(connection: Connection, page: Page, query: EventQuery, window: Range): Promise<void> {
  const filter = filterSql(query)
  let { low, high } = window
  while (low <= high && !page.hasMore) {
    const wanted = page.wanted(filter.isExact)
    // The border as it is after the events were read: a reader whose events were removed must learn of it.
    const [rows, [border]] = await connection.together(() =>
      allSettled(readRows(connection, { query, filter, page, range: { low, high }, wanted }), connection.run(BORDER)),
    )
    page.border = border
    for (const row of rows) {
      if (page.hasMore) return
      const event = await eventOf(connection, query, filter, row)
      if (event !== undefined) page.add(row, event)
    }
    const last = rows.length === wanted ? rows.at(-1) : undefined
    if (!last) return
    if (query.order === 'asc') low = Number(last.captured_us) + 1
    else high = Number(last.captured_us) - 1
  }
}

interface Wanted {
  query: EventQuery
  filter: FilterSql
  page: Page
  range: Range
  wanted: number
}

function readRows(connection: Connection, { query, filter, page, range, wanted }: Wanted): Promise<Row[]> {
  const { conditions, values } = filter
  const order = ORDERS[query.order]
  if (query.withoutPayload) {
    const sql = strippedSql(order, shifted(conditions, STRIPPED_PARAMETERS))
    return connection.runOnce(sql, [range.low, range.high, wanted, ...values])
  }
  // Where the database cannot decide, an event that is left out here is read alone.
  const bounds = filter.isExact ? [page.bytesLeft, page.takesAnySize] : [PAGE_BYTES, true]
  const all = [range.low, range.high, wanted, ...bounds, ...values]
  const sql = pageSql(order, shifted(conditions, PARAMETERS))
  return conditions === '' ? connection.run(sql, ...all) : connection.runOnce(sql, all)
}

/** The event to show; null if it does not fit into the page, undefined if it does not match. */
async function eventOf(
  connection: Connection,
  query: EventQuery,
  { isExact }: FilterSql,
  row: Row,
): Promise<Buffer | null | undefined> {
  if (!query.withoutPayload && isExact) return row.event === null ? null : Buffer.from(String(row.event))
  if (!isExact) {
    const whole = row.event ?? (await readWhole(connection, row))
    if (!eventMatches(JSON.parse(String(whole)) as StoredEvent, query)) return undefined
    if (!query.withoutPayload) return Buffer.from(String(whole))
  }
  const event =
    Number(row.bytes) > LARGE_EVENT_BYTES
      ? await readOutline(connection, row)
      : (JSON.parse(String(row.event ?? (await readWhole(connection, row)))) as StoredEvent)
  const { payload: _, ...others } = event
  return Buffer.from(JSON.stringify(others))
}

/** Events that match, newest first, where the database cannot decide. */
export async function* undecidedEvents(
  connection: Connection,
  query: EventFilter,
  { low, high }: Range,
): AsyncGenerator<StoredEvent & { at: Micros }> {
  const { conditions, values } = filterSql(query)
  const sql = pageSql('DESC', shifted(conditions, PARAMETERS))
  for (let last = high; ; ) {
    const rows = await connection.runOnce(sql, [low, last, UNDECIDED, PAGE_BYTES, true, ...values])
    const read = rows.filter(row => row.event !== null)
    for (const row of read) {
      const event = JSON.parse(String(row.event)) as StoredEvent
      if (eventMatches(event, query)) yield { ...event, at: Number(row.captured_us) }
    }
    if (read.length < rows.length || rows.length === UNDECIDED) last = Number(read.at(-1)?.captured_us) - 1
    else return
  }
}

const WHOLE = /* sql */ `SELECT body || tail AS event FROM events WHERE captured_us = $1`

/** @throws AppError `unavailable/busy` if it was removed after the other events were read */
async function readWhole(connection: Connection, { captured_us }: Row): Promise<string> {
  const [row] = await connection.run(WHOLE, Number(captured_us))
  if (!row) throw removedMeanwhile()
  return String(row.event)
}

function removedMeanwhile(): AppError {
  return new AppError('unavailable', 'busy', 'Events were removed while they were read.', {
    hint: 'Try again in a moment.',
    retryAfterSeconds: 1,
  })
}

/** A large event without its payload. */
async function readOutline(connection: Connection, row: Row): Promise<StoredEvent> {
  const [edges] = await connection.run(EDGES, Number(row.captured_us))
  const outline = outlineOf(Buffer.from(String(edges?.head)), Buffer.from(String(edges?.tail)))
  return outline ?? (JSON.parse(await readWhole(connection, row)) as StoredEvent)
}

/** A page as it is filled. */
class Page {
  hasMore = false
  neededBytes: number | undefined
  /** Of what retention has removed. */
  border: Row | undefined
  readonly #events: Buffer[] = []
  #bytes = 0
  #first: Micros | null = null
  #last: Micros | null = null

  constructor(private readonly query: EventQuery) {}

  get count(): number {
    return this.#events.length
  }

  /** How many rows to read: one more than fit shows that there are more. */
  wanted(isExact: boolean): number {
    const left = this.query.limit - this.count + 1
    return isExact ? left : Math.max(UNDECIDED, left)
  }

  get bytesLeft(): number {
    return (this.query.maxBytes ?? PAGE_BYTES) - this.#bytes
  }

  /** A single event that is larger than a page is a page of its own. */
  get takesAnySize(): boolean {
    return this.query.maxBytes === undefined && this.count === 0
  }

  /** @param event null if the database left it out because of its size */
  add({ captured_us, bytes }: Row, event: Buffer | null): void {
    const size = event?.length ?? Number(bytes)
    const isTooLarge = size > this.bytesLeft && !this.takesAnySize
    if (this.count === this.query.limit || isTooLarge || event === null) {
      this.hasMore = true
      if (this.count === 0 && isTooLarge) this.neededBytes = size
      return
    }
    this.#events.push(event)
    this.#bytes += size
    this.#first ??= Number(captured_us)
    this.#last = Number(captured_us)
  }

  /** Joined by commas. */
  get items(): Uint8Array {
    const comma = Buffer.from(',')
    return Buffer.concat(this.#events.flatMap((event, at) => (at === 0 ? [event] : [comma, event])))
  }

  get latestCapturedAt(): Micros | null {
    return this.query.order === 'asc' ? this.#last : this.#first
  }

  get oldestCapturedAt(): Micros | null {
    return this.query.order === 'asc' ? this.#first : this.#last
  }
}
