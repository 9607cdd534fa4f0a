import { readErasureEntry, toTombstone } from '../../../model/events/erasure.js'
import type { StoredEvent } from '../../../model/events/event.js'
import { findTimestamp, type Micros, toTimestamp } from '../../../model/timestamp.js'
import type { MissedEvents } from '../../copy-store.js'
import type { Connection, Row } from '../connection/connection.js'

const ENTRY = /* sql */ `
  SELECT body || tail AS event FROM event_keys JOIN events USING (captured_us)
  WHERE event_keys.dedupe_key = $1 AND content_digest IS NULL`
/** A later pruning may have removed the entry of an earlier one. */
const PRUNINGS = /* sql */ `
  SELECT through_us, body || tail AS event FROM prunings JOIN events ON captured_us = entry_us
  WHERE content_digest IS NULL AND entry_us > (SELECT pruned_us FROM ledger_clock) ORDER BY through_us DESC`
const MISSED = /* sql */ `SELECT value FROM meta WHERE name = 'missed'`

/**
 * Checks that the ledger records every erasure: without this check, a person who can write to the database could remove
 * content and keep its digest. The chain of digests vouches for the entries.
 */
export class RecordedErasures {
  /** Events that each entry covers, by the key of the entry. */
  readonly #entries = new Map<string, ReadonlySet<string>>()
  #prunedThrough: Micros | undefined

  constructor(private readonly connection: Connection) {}

  /** @returns the problem of an event's row, if it has one */
  async check(row: Row): Promise<string | undefined> {
    if (row.content_digest === null) return undefined
    this.#prunedThrough ??= await this.#findPruned()
    if (Number(row.captured_us) <= this.#prunedThrough) return undefined
    const event = readEvent(String(row.body) + String(row.tail))
    const erased = event?.erased
    if (event && erased && JSON.stringify(toTombstone(event, erased)) !== String(row.body) + String(row.tail)) {
      return 'It was erased, and has content.'
    }
    const entry = erased?.entry
    if (entry && (await this.#coveredBy(entry)).has(toTimestamp(Number(row.captured_us)))) return undefined
    // Retention may have removed events since the check began.
    this.#prunedThrough = await this.#findPruned()
    if (Number(row.captured_us) <= this.#prunedThrough) return undefined
    const missed = await findMissed(this.connection)
    const at = findTimestamp(erased?.at)?.micros ?? 0
    if (missed && at > missed.after && at <= missed.through) return undefined
    return 'Its content was erased, and no event of the ledger records that.'
  }

  async #coveredBy(entry: string): Promise<ReadonlySet<string>> {
    let covered = this.#entries.get(entry)
    if (!covered) {
      const [row] = await this.connection.run(ENTRY, entry)
      covered = new Set(payloadOf(row)?.events)
      this.#entries.set(entry, covered)
    }
    return covered
  }

  /** The newest event that an entry records as pruned. */
  async #findPruned(): Promise<Micros> {
    const rows = await this.connection.run(PRUNINGS)
    const recorded = rows.find(row => payloadOf(row)?.through === toTimestamp(Number(row.through_us)))
    return recorded ? Number(recorded.through_us) : -1
  }
}

export async function findMissed(connection: Connection): Promise<MissedEvents | null> {
  const [row] = await connection.run(MISSED)
  return row ? (JSON.parse(String(row.value)) as MissedEvents) : null
}

function payloadOf(row: Row | undefined) {
  const event = row && readEvent(String(row.event))
  return event && readErasureEntry(event)
}

function readEvent(text: string): StoredEvent | undefined {
  try {
    return JSON.parse(text) as StoredEvent
  } catch {
    return undefined // reported by the caller
  }
}
