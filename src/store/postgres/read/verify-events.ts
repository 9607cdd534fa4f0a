import type { StoredEvent } from '../../../model/events/event.js'
import { type Micros, toTimestamp } from '../../../model/timestamp.js'
import { chainDigest, contentDigest, EMPTY_DIGEST } from '../../event-digest.js'
import type { LedgerHead, VerifiedEvents } from '../../event-store.js'
import { findOutline, LARGE_EVENT_BYTES } from '../../large-event.js'
import { findColumnDifference, VerifiedChain } from '../../verified-chain.js'
import type { Connection, Row } from '../connection/connection.js'
import { FACET_SEPARATOR, facetsOf } from '../search/facets.js'
import { searchableTextOf } from '../search/searchable-text.js'
import { RecordedErasures } from './recorded-erasures.js'

/** One event in this many is checked for whether a search finds it. */
const SAMPLED = 199
/** Limits of one statement; it reads at least one event. */
const BATCH = { events: 128, bytes: 2 * 1024 * 1024 }

const LAST = /* sql */ `SELECT last_us, seq FROM ledger_clock`
const AT = /* sql */ `
  SELECT captured_us, seq, encode(digest, 'hex') AS digest FROM events WHERE captured_us = $1
  UNION ALL SELECT captured_us, seq, encode(digest, 'hex') FROM pruned_events WHERE captured_us = $1`
/** Removed events come before all others. One statement reads both, because rows move from one table to the other. */
const ROWS = /* sql */ `
  SELECT captured_us, seq, dedupe_key, source, kind, subject_id, encode(digest, 'hex') AS digest, content_digest, tail, body,
    said, array_to_string(facets, '${FACET_SEPARATOR}') AS facets,
    (SELECT seen_count FROM event_keys
      WHERE event_keys.dedupe_key = batch.dedupe_key AND event_keys.captured_us = batch.captured_us) AS seen_count
  FROM (
    SELECT *, octet_length(body) AS bytes, sum(octet_length(body)) OVER (ORDER BY captured_us) AS upto
    FROM (
      (SELECT captured_us, seq, dedupe_key, source, kind, '' AS subject_id, digest, content_digest, tail, '' AS body,
        NULL AS said, NULL AS facets
      FROM pruned_events WHERE captured_us > $1 AND captured_us <= $2 ORDER BY captured_us LIMIT $3)
      UNION ALL
      (SELECT captured_us, seq, dedupe_key, source, kind, subject_id, digest, content_digest, tail, body, said, facets
      FROM events WHERE captured_us > $1 AND captured_us <= $2 ORDER BY captured_us LIMIT $3)
      ORDER BY captured_us LIMIT $3
    ) AS next
  ) AS batch
  WHERE upto <= ${BATCH.bytes} OR upto = bytes ORDER BY captured_us`

/** Checks events against their digests, their columns and their keys, some at a time. */
export async function verifyEvents(
  connection: Connection,
  { since, limit }: { since: Micros | null; limit: number },
): Promise<VerifiedEvents> {
  const [clock] = await connection.run(LAST)
  const last = Number(clock?.seq) === 0 ? -1 : Number(clock?.last_us)
  const [start] = since === null ? [] : await connection.run(AT, since)
  const walk = new ChainWalk(start, new RecordedErasures(connection))
  if (since !== null && !start) {
    walk.report(undefined, `No event was captured at ${toTimestamp(since)}: it was removed, or is of another ledger.`)
    return walk.found(false)
  }
  while (walk.events < limit && walk.at < last) {
    const rows = await connection.run(ROWS, walk.at, last, Math.min(BATCH.events, limit - walk.events))
    if (rows.length === 0) {
      walk.report(undefined, `The newest event, captured at ${toTimestamp(last)}, is missing.`)
      return walk.found(false)
    }
    for (const row of rows) await walk.check(row)
  }
  return walk.found(walk.at < last)
}

/** Walks along the chain, and notes what is wrong. */
class ChainWalk extends VerifiedChain {
  /** `captured_at` of the last checked event. */
  at: Micros
  #seq: number
  #digest: Buffer

  constructor(
    start: Row | undefined,
    private readonly erasures: RecordedErasures,
  ) {
    super(start ? toHead(start) : null)
    this.at = Number(start?.captured_us ?? -1)
    this.#seq = Number(start?.seq ?? 0)
    this.#digest = start ? Buffer.from(String(start.digest), 'hex') : EMPTY_DIGEST
  }

  async check(row: Row): Promise<void> {
    const seq = Number(row.seq)
    const missing = seq - this.#seq - 1
    if (missing > 0) this.report(row, `Before it, ${missing === 1 ? 'an event is' : `${missing} events are`} missing.`)
    if (missing < 0) this.report(row, 'It has the number of an earlier event.')
    const content = Buffer.from(String(row.body))
    const capturedAt = Number(row.captured_us)
    const digestOfContent = storedContentDigest(row) ?? contentDigest(content)
    const expected = chainDigest(this.#digest, digestOfContent, capturedAt).toString('hex')
    const isRecorded = expected === row.digest
    const problem = isRecorded ? ((await this.erasures.check(row)) ?? findDifference(row, content)) : OTHER_DIGEST
    if (problem !== undefined) this.report(row, problem)
    this.#seq = seq
    this.at = capturedAt
    this.#digest = Buffer.from(String(row.digest), 'hex')
    this.through = toHead(row)
    this.count(row)
  }
}

const OTHER_DIGEST = 'It differs from what was recorded, or the event before it does.'

/** Finds a difference between the event as read and the other columns. */
function findDifference(row: Row, content: Buffer): string | undefined {
  if (row.seen_count === null) return 'Its key is missing, or belongs to another event.'
  // Retention left no content to compare.
  if (row.content_digest !== null && row.subject_id === '') return undefined
  const event = readEvent(content, String(row.tail))
  if (!event) return 'Its body is not JSON.'
  const difference = findColumnDifference(row, event)
  if (difference) return difference
  if (Number(row.seq) % SAMPLED !== 0 || content.length > LARGE_EVENT_BYTES) return undefined
  const facets = new Set(String(row.facets).split(FACET_SEPARATOR))
  return sameFacets(facets, facetsOf(event)) && searchableTextOf(event).text === row.said
    ? undefined
    : 'A search may not find it.'
}

function sameFacets(stored: ReadonlySet<string>, expected: ReadonlySet<string>): boolean {
  return stored.size === expected.size && [...expected].every(facet => stored.has(facet))
}

/** A large event without its payload. */
function readEvent(content: Buffer, tail: string): StoredEvent | undefined {
  const whole = Buffer.concat([content, Buffer.from(tail)])
  if (whole.length > LARGE_EVENT_BYTES) return findOutline(whole)
  try {
    return JSON.parse(whole.toString()) as StoredEvent
  } catch {
    return undefined // reported by the caller
  }
}

/** As `contentDigest` returns it; undefined if the content was not removed. */
function storedContentDigest({ content_digest }: Row): string | undefined {
  return content_digest === null ? undefined : Buffer.from(String(content_digest), 'hex').toString('latin1')
}

function toHead(row: Row): LedgerHead {
  return { capturedAt: Number(row.captured_us), digest: String(row.digest) }
}
