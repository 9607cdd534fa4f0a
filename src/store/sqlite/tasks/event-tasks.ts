import type { FacetQuery } from '../../../model/events/event-facets.js'
import type { HistogramQuery } from '../../../model/events/event-histogram.js'
import type { EventQuery } from '../../../model/events/event-query.js'
import type { Micros } from '../../../model/timestamp.js'
import type { LedgerHead } from '../../event-store.js'
import type { Database } from '../files/database.js'
import { countFacets } from '../read/event-facets.js'
import { countEvents } from '../read/event-histogram.js'
import { readPage } from '../read/event-reader.js'
import { readStatistics } from '../read/statistics.js'
import { type VerifyRange, verifyEvents } from '../read/verify-events.js'
import type { SearchIndex } from '../search/search-index.js'
import { page, query, read, write } from '../thread/task.js'
import type { EventWriter } from '../write/event-writer.js'
import type { PackedEvents } from '../write/packed-events.js'

const FIND = /* sql */ `
  SELECT octet_length(body) AS bytes, CASE WHEN octet_length(body) <= ?2 THEN CAST(body AS BLOB) END AS body
  FROM events WHERE dedupe_key = ?1`
const KEYS_OF = /* sql */ `
  SELECT dedupe_key FROM events
  WHERE dedupe_key IN (SELECT value FROM json_each(?1))
    AND EXISTS (SELECT 1 FROM json_each(body, '$.subscription_ids') WHERE value = ?2)`
/** A write that has to reach the disk and changes nothing that a caller reads. */
const PROBE = /* sql */ `UPDATE meta SET value = value + 1 WHERE name = 'probe'`

/** An open ledger, as its thread has it. */
export interface OpenLedger {
  database: Database
  index: SearchIndex
  writer: EventWriter
  epoch: string
}

/** What `EventStore` needs; `EventGroups` has the side of the main thread for `record` and `probe`. */
export function eventTasks({ database, index, writer, epoch }: OpenLedger) {
  const readMatching = (wanted: EventQuery) => readPage(database, index, epoch, wanted)
  return {
    record: write(
      (packed: PackedEvents, now: Micros) => writer.append(packed, now),
      packed => ({ rows: packed.count, bytes: packed.buffer.byteLength }),
    ),
    probe: write((): LedgerHead | null => {
      database.run(PROBE)
      return writer.head
    }),
    /** The body of the event, or its size if that is more than `maxBytes`. */
    findByDedupeKey: read((storedKey: string, maxBytes: number): Uint8Array | number | undefined => {
      const row = database.first(FIND, storedKey, maxBytes)
      return row && ((row.body as Uint8Array | null) ?? Number(row.bytes))
    }),
    listKeysOf: read((subscriptionId: string, storedKeys: readonly string[]) => {
      return database.all(KEYS_OF, JSON.stringify(storedKeys), subscriptionId).map(row => String(row.dedupe_key))
    }),
    queryRange: page(readMatching),
    query: query(readMatching),
    histogram: query((wanted: HistogramQuery) => countEvents(database, index, epoch, wanted)),
    /** How many events are stored, but not yet in the search index. */
    unindexed: read(() => writer.appended - index.through),
    facets: query((wanted: FacetQuery) => countFacets(database, index, epoch, wanted)),
    stats: read(() => readStatistics(database)),
    verify: query((range: VerifyRange) => verifyEvents(database, range, { database, index })),
  }
}
