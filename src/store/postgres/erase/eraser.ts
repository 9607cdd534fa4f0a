import { LEDGER_ROUTE } from '../../../model/events/erasure.js'
import type { Erased, StoredEvent } from '../../../model/events/event.js'
import type { Micros } from '../../../model/timestamp.js'
import { contentOf } from '../../event-digest.js'
import { tombstoneOf } from '../../rows/removed-events.js'
import type { Connection } from '../connection/connection.js'
import { bigintArray, textArray } from '../connection/text-array.js'
import { FACET_SEPARATOR, facetsOf } from '../search/facets.js'
import { searchableTextOf } from '../search/searchable-text.js'
import { ledgerMembersOf } from '../write/prepared-event.js'
import { CONTENT_DIGEST, EVENT_PARTS, readStoredEvent } from './stored-tombstone.js'

const ERASABLE = /* sql */ `
  SELECT captured_us, dedupe_key, source, kind, ${EVENT_PARTS} FROM events
  WHERE captured_us = ANY ($1::bigint[]) AND content_digest IS NULL AND captured_us > (SELECT pruned_us FROM ledger_clock)
  ORDER BY captured_us`
/** The subject may be a person. */
const ERASE = /* sql */ `
  UPDATE events SET content_digest = ${CONTENT_DIGEST}, body = erased.body, subject_id = erased.subject_id,
    facets = string_to_array(erased.facets, '${FACET_SEPARATOR}'), said = erased.said, long_said = NULL
  FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[])
    AS erased (captured_us, body, subject_id, facets, said)
  WHERE events.captured_us = erased.captured_us`

/** An erased event, and what is left of it. */
export interface ErasedEvent {
  at: Micros
  tombstone: StoredEvent
}

/**
 * Removes the content of events, inside a transaction that holds the clock. Entries of the ledger stay: they prove
 * which events were erased.
 *
 * @returns those that had content
 */
export async function eraseEvents(
  connection: Connection,
  instants: readonly Micros[],
  erased: Erased,
): Promise<ErasedEvent[]> {
  const found: ErasedEvent[] = []
  for (const row of await connection.run(ERASABLE, bigintArray(instants))) {
    const event = readStoredEvent(row)
    if (event?.provenance.route === LEDGER_ROUTE) continue
    const { provenance, occurred_at = null } = event ?? {}
    const kept = { ...ledgerMembersOf(String(row.tail)), provenance, occurred_at }
    found.push({ at: Number(row.captured_us), tombstone: tombstoneOf(row, kept, erased) })
  }
  await leaveTombstones(connection, found)
  return found
}

/** Replaces events with tombstones. Their digests and tails stay. */
export async function leaveTombstones(connection: Connection, erased: readonly ErasedEvent[]): Promise<void> {
  if (erased.length === 0) return
  const texts = (of: (tombstone: StoredEvent) => string | null) =>
    textArray(erased.map(({ tombstone }) => of(tombstone)))
  await connection.run(
    ERASE,
    bigintArray(erased.map(({ at }) => at)),
    texts(tombstone => contentOf(Buffer.from(JSON.stringify(tombstone))).toString()),
    texts(tombstone => tombstone.subject_id),
    texts(tombstone => [...facetsOf(tombstone)].join(FACET_SEPARATOR)),
    texts(tombstone => searchableTextOf(tombstone).text),
  )
}
