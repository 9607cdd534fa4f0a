import type { StoredEvent } from '../../../model/events/event.js'
import { searchableStrings } from '../../../model/events/search.js'
import { type Micros, toTimestamp } from '../../../model/timestamp.js'
import { chainDigest, contentDigest, EMPTY_DIGEST } from '../../event-digest.js'
import type { LedgerHead, VerifiedEvents } from '../../event-store.js'
import { LARGE_EVENT_BYTES } from '../../large-event.js'
import { findColumnDifference, VerifiedChain } from '../../verified-chain.js'
import type { Database, Row } from '../files/database.js'
import { candidates, type Indexes, type Walk } from '../search/event-candidates.js'
import { readBodyBytes, readOutline } from '../search/large-body.js'
import { readContent, storedContentDigest } from './event-content.js'
import { readBounds } from './ledger-bounds.js'
import { RecordedErasures } from './recorded-erasures.js'
import { rowsWithinBytes } from './rows-within-bytes.js'

export interface VerifyRange {
  since: Micros | null
  limit: number
}

/** The search index, and the database that it belongs to. */
interface CheckedIndexes {
  database: Database
  index: Indexes
}

/** The database that a check reads. */
type Rows = Pick<Database, 'all' | 'first'>

/** The search index is checked for one event in this many. */
const SAMPLED = 199
/** Length of the search term taken from the first text of a sampled event. */
const TERM_CHARACTERS = 24
const BATCH = 64
const SLICE_MS = 4

const AT = /* sql */ `SELECT seq, captured_us, digest FROM events WHERE captured_us = ?`
const DIGEST_AT = /* sql */ `SELECT digest FROM events WHERE seq = ?`
const ROWS = /* sql */ `
  SELECT seq, dedupe_key, captured_us, source, kind, subject_id, seen_count, digest, content_digest,
    CASE WHEN octet_length(body) <= ${LARGE_EVENT_BYTES} THEN CAST(body AS BLOB) END AS body
  FROM events WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?`

/**
 * Checks events against their digests and their columns, and some against the search index, in slices.
 *
 * @param indexes absent: the search index is not checked
 */
export function* verifyEvents(
  database: Rows,
  { since, limit }: VerifyRange,
  indexes?: CheckedIndexes,
): Generator<void, VerifiedEvents> {
  const { seq: last } = readBounds(database)
  const start = since === null ? undefined : database.first(AT, since)
  const walk = new ChainWalk(database, start, indexes)
  if (since !== null && !start) {
    walk.report(undefined, `No event was captured at ${toTimestamp(since)}: it was removed, or is of another ledger.`)
    return walk.found(false)
  }
  let sliceStarted = performance.now()
  while (walk.events < limit && walk.seq < last) {
    const wanted = rowsWithinBytes(database, walk.seq, Math.min(BATCH, limit - walk.events))
    for (const row of database.all(ROWS, walk.seq, last, wanted)) walk.check(row)
    if (performance.now() - sliceStarted < SLICE_MS) continue
    yield
    sliceStarted = performance.now()
  }
  return walk.found(walk.seq < last)
}

/** Walks along the chain, and notes what is wrong. */
class ChainWalk extends VerifiedChain {
  /** `seq` of the last checked event. */
  seq: number
  readonly #erasures: RecordedErasures
  /** Digest of the event before; undefined if it has none yet. */
  #digest: Uint8Array | undefined

  constructor(
    private readonly database: Rows,
    start: Row | undefined,
    private readonly indexes: CheckedIndexes | undefined,
  ) {
    super(start ? toHead(start) : null)
    this.#erasures = new RecordedErasures(database)
    this.seq = Number(start?.seq ?? 0)
    this.#digest = start ? digestOf(start) : EMPTY_DIGEST
  }

  check(row: Row): void {
    const seq = Number(row.seq)
    const missing = seq - this.seq - 1
    if (missing > 0) this.report(row, `Before it, ${missing === 1 ? 'an event is' : `${missing} events are`} missing.`)
    if (Number(row.captured_us) <= (this.through?.capturedAt ?? 0)) {
      this.report(row, 'It was not captured later than the event before it.')
    }
    const body = row.body === null ? readBodyBytes(this.database, seq) : Buffer.from(row.body as Uint8Array)
    const problem = this.#checkDigest(row, body) ?? this.#erasures.check(row, body) ?? this.#checkColumns(row, body)
    if (problem) this.report(row, problem)
    this.seq = seq
    this.#digest = digestOf(row)
    this.through = toHead(row)
    this.count(row)
    if (!row.digest) this.pending++
  }

  #checkDigest(row: Row, body: Buffer): string | undefined {
    const digest = digestOf(row)
    if (!digest) return undefined
    // Events of an older release receive their digests in the background, maybe since the last slice.
    const before = this.#digest ?? digestOf(this.database.first(DIGEST_AT, this.seq) ?? {})
    if (!before) return 'It has a digest, and the event before it has none.'
    const content = storedContentDigest(row) ?? contentDigest(readContent(this.database, Number(row.seq), body))
    const expected = chainDigest(before, content, Number(row.captured_us))
    return expected.equals(digest) ? undefined : 'It differs from what was recorded, or the event before it does.'
  }

  #checkColumns(row: Row, body: Buffer): string | undefined {
    // Retention left no content to compare.
    if (row.content_digest && row.subject_id === '') return undefined
    const event = row.body === null ? readOutline(this.database, Number(row.seq)) : readEvent(body)
    if (!event) return 'Its body is not JSON.'
    const difference = findColumnDifference(row, event)
    if (difference) return difference
    return Number(row.seq) % SAMPLED === 0 && row.body !== null ? this.#checkIndex(row, event) : undefined
  }

  /** Asks the index for this event alone, as a search would. */
  #checkIndex(row: Row, event: StoredEvent): string | undefined {
    if (!this.indexes) return undefined
    const { database, index } = this.indexes
    const seq = Number(row.seq)
    const [text = ''] = searchableStrings(event)
    const term = text.slice(0, TERM_CHARACTERS).trim()
    const walks: Walk[] = [
      { order: 'asc', sources: [event.source], kinds: [event.kind], subjectId: event.subject_id },
      ...(term ? [{ order: 'asc' as const, search: [term] }] : []),
    ]
    const isFound = (walk: Walk) =>
      [...candidates(database, index, walk, { low: seq, high: seq })].some(({ seqs }) => seqs.includes(seq))
    return walks.every(isFound) ? undefined : 'The search index does not find it.'
  }
}

function digestOf(row: Row): Uint8Array | undefined {
  return (row.digest as Uint8Array | null) ?? undefined
}

function toHead(row: Row): LedgerHead {
  const digest = digestOf(row)
  return { capturedAt: Number(row.captured_us), digest: digest ? Buffer.from(digest).toString('hex') : null }
}

function readEvent(body: Buffer): StoredEvent | undefined {
  try {
    return JSON.parse(body.toString()) as StoredEvent
  } catch {
    return undefined // reported by the caller
  }
}
