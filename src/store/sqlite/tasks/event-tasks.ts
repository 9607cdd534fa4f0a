import { LEDGER_SOURCE, markOf } from '../../../model/events/erasure.js'
import type { StoredEvent } from '../../../model/events/event.js'
import type { FacetQuery } from '../../../model/events/event-facets.js'
import type { HistogramQuery } from '../../../model/events/event-histogram.js'
import type { EventQuery } from '../../../model/events/event-query.js'
import { type Micros, toTimestamp } from '../../../model/timestamp.js'
import { erasedMeanwhile, type LedgerHead, type Pruning } from '../../event-store.js'
import type { BackgroundRemoval } from '../erase/background-removal.js'
import type { Eraser } from '../erase/eraser.js'
import type { PrunedEvents } from '../erase/pruned-events.js'
import { prunedTombstone } from '../erase/stored-tombstone.js'
import type { Database } from '../files/database.js'
import { countFacets } from '../read/event-facets.js'
import { countEvents } from '../read/event-histogram.js'
import { readPage } from '../read/event-reader.js'
import { readStatistics } from '../read/statistics.js'
import { type VerifyRange, verifyEvents } from '../read/verify-events.js'
import type { SearchIndex } from '../search/search-index.js'
import { type CommitLoad, page, query, read, write } from '../thread/task.js'
import type { EventWriter } from '../write/event-writer.js'
import type { PackedEvents } from '../write/packed-events.js'
import { EMPTY_ERRORS, EMPTY_ERRORS_THROUGH } from './consumer-tasks.js'

const FIND = /* sql */ `
  SELECT seq, octet_length(body) AS bytes, CASE WHEN octet_length(body) <= ?2 THEN CAST(body AS BLOB) END AS body
  FROM events WHERE dedupe_key = ?1`
const KEYS_OF = /* sql */ `
  SELECT dedupe_key FROM events
  WHERE dedupe_key IN (SELECT value FROM json_each(?1)) AND seq > ?3
    AND EXISTS (SELECT 1 FROM json_each(body, '$.subscription_ids') WHERE value = ?2)`
const ENTRIES = /* sql */ `SELECT events FROM source_counters WHERE source = '${LEDGER_SOURCE}'`
const ENTRY = /* sql */ `SELECT body FROM events WHERE captured_us = ?`
/** Takes as long as many rows, so no other write shares its commit. */
const ALONE: CommitLoad = { rows: 1_000, bytes: 0 }
/** A write that has to reach the disk and changes nothing that a caller reads. */
const PROBE = /* sql */ `UPDATE meta SET value = value + 1 WHERE name = 'probe'`

/** An open ledger, as seen by its thread. */
export interface OpenLedger {
  database: Database
  index: SearchIndex
  writer: EventWriter
  pruned: PrunedEvents
  eraser: Eraser
  backgroundRemoval: BackgroundRemoval
  /** Changes when the ledger is imported, begins to follow another one, or stops following. */
  epoch: string
}

/** The tasks behind `EventStore`; `EventGroups` is their side on the main thread for `record`, `erase`, `prune` and `probe`. */
export function eventTasks(ledger: OpenLedger) {
  const { database, index, writer, pruned, eraser, backgroundRemoval } = ledger
  const readMatching = (wanted: EventQuery) => readPage(database, index, ledger, wanted)
  return {
    record: write(
      (packed: PackedEvents, now: Micros) => writer.append(packed, now),
      packed => ({ rows: packed.count, bytes: packed.buffer.byteLength }),
    ),
    /** @param entry a single event, which records the removal */
    erase: write(
      (entry: PackedEvents, now: Micros, events: readonly Micros[]) => {
        const outcomes = writer.append(entry, now)
        const [capturedAt = now] = outcomes.capturedAt
        eraser.erase(events, markOf(readEntry(database, capturedAt), toTimestamp(capturedAt)))
        database.run(EMPTY_ERRORS, JSON.stringify(events))
        backgroundRemoval.noteErased()
        return outcomes
      },
      () => ALONE,
    ),
    /** @param entry a single event, which records the removal */
    prune: write(
      (entry: PackedEvents, now: Micros, { through, entries }: Pick<Pruning, 'through' | 'entries'>) => {
        if (entries !== undefined && Number(database.first(ENTRIES)?.events ?? 0) !== entries) return erasedMeanwhile()
        const outcomes = writer.append(entry, now)
        pruned.add(through, writer.appended)
        database.run(EMPTY_ERRORS_THROUGH, through)
        return outcomes
      },
      () => ALONE,
    ),
    emptyWal: read(() => database.emptyWal()),
    probe: write((): LedgerHead | null => {
      database.run(PROBE)
      return writer.head
    }),
    /** The body of the event, or its size if that is more than `maxBytes`. */
    findByDedupeKey: read((storedKey: string, maxBytes: number): Uint8Array | number | undefined => {
      const row = database.first(FIND, storedKey, maxBytes)
      if (row && Number(row.seq) <= pruned.through) return toBytes(prunedTombstone(database, Number(row.seq)))
      return row && ((row.body as Uint8Array | null) ?? Number(row.bytes))
    }),
    listKeysOf: read((subscriptionId: string, storedKeys: readonly string[]) => {
      const rows = database.all(KEYS_OF, JSON.stringify(storedKeys), subscriptionId, pruned.through)
      return rows.map(row => String(row.dedupe_key))
    }),
    queryRange: page(readMatching),
    query: query(readMatching),
    histogram: query((wanted: HistogramQuery) => countEvents(database, index, ledger, wanted)),
    /** The epoch, and how many events are stored but not yet in the search index. */
    facts: read(() => ({ epoch: ledger.epoch, unindexedEvents: writer.appended - index.through })),
    facets: query((wanted: FacetQuery) => countFacets(database, index, ledger, wanted)),
    stats: read(() => readStatistics(database)),
    verify: query((range: VerifyRange) => verifyEvents(database, range, { database, index })),
  }
}

function readEntry(database: Database, capturedAt: Micros): { event: StoredEvent } {
  return { event: JSON.parse(String(database.first(ENTRY, capturedAt)?.body)) as StoredEvent }
}

/** In a separate buffer, which can be transferred. */
function toBytes(event: StoredEvent): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(event))
}
