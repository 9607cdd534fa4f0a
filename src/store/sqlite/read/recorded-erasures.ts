import { type ErasurePayload, readErasureEntry, toTombstone } from '../../../model/events/erasure.js'
import type { StoredEvent } from '../../../model/events/event.js'
import { findTimestamp, toTimestamp } from '../../../model/timestamp.js'
import type { Database, Row } from '../files/database.js'
import { isNotCopied } from '../write/follow-state.js'

const ENTRY = /* sql */ `SELECT body FROM events WHERE dedupe_key = ? AND content_digest IS NULL`
/** A later pruning may have removed the entry of an earlier one. */
const PRUNINGS = /* sql */ `
  SELECT through_seq, CASE WHEN entry.content_digest IS NULL THEN entry.body END AS body
  FROM prunings JOIN events AS entry ON entry.seq = entry_seq ORDER BY through_seq DESC`
const CAPTURED = /* sql */ `SELECT captured_us FROM events WHERE seq = ?`

/**
 * Checks that the ledger records every erasure: without this check, a person who can write the file could remove
 * content and keep its digest. The chain of digests vouches for the entries.
 */
export class RecordedErasures {
  /** Events that each entry covers, by the key of the entry. */
  readonly #entries = new Map<string, ReadonlySet<string>>()
  #prunedThrough: number | undefined

  constructor(private readonly database: Pick<Database, 'all' | 'first'>) {}

  /** @returns the problem of an event's row, if it has one */
  check(row: Row, body: Buffer): string | undefined {
    if (!row.content_digest) return undefined
    this.#prunedThrough ??= this.#findPruned()
    if (Number(row.seq) <= this.#prunedThrough) return undefined
    const event = readEvent(body)
    const erased = event?.erased
    if (event && erased && JSON.stringify(toTombstone(event, erased)) !== body.toString()) {
      return 'It was erased, and has content.'
    }
    const entry = erased?.entry
    if (entry && this.#coveredBy(entry).has(toTimestamp(Number(row.captured_us)))) return undefined
    // Retention may have removed events since the check began.
    this.#prunedThrough = this.#findPruned()
    if (Number(row.seq) <= this.#prunedThrough) return undefined
    if (isNotCopied(this.database, findTimestamp(erased?.at)?.micros ?? 0)) return undefined
    return 'Its content was erased, and no event of the ledger records that.'
  }

  #coveredBy(entry: string): ReadonlySet<string> {
    const known = this.#entries.get(entry)
    if (known) return known
    const row = this.database.first(ENTRY, entry)
    const covered = new Set(payloadOf(row?.body)?.events)
    // A follower may copy it during the check.
    if (row) this.#entries.set(entry, covered)
    return covered
  }

  /** The newest event that an entry records as pruned. */
  #findPruned(): number {
    for (const { through_seq, body } of this.database.all(PRUNINGS)) {
      const at = this.database.first(CAPTURED, Number(through_seq))?.captured_us
      if (at !== undefined && payloadOf(body)?.through === toTimestamp(Number(at))) return Number(through_seq)
    }
    return 0
  }
}

function payloadOf(body: unknown): ErasurePayload | undefined {
  const event = typeof body === 'string' ? readEvent(body) : undefined
  return event && readErasureEntry(event)
}

function readEvent(body: string | Buffer): StoredEvent | undefined {
  try {
    return JSON.parse(body.toString()) as StoredEvent
  } catch {
    return undefined // reported by the caller
  }
}
