/** Reads stored events that are too large to parse in one step. */
import type { StoredEvent } from '../../../model/events/event.js'
import { EDGE_BYTES, outlineOf } from '../../large-event.js'
import type { Database } from '../files/database.js'

const BODY = /* sql */ `SELECT CAST(body AS BLOB) AS body FROM events WHERE seq = ?`
const EDGES = /* sql */ `
  SELECT substr(CAST(body AS BLOB), 1, ${EDGE_BYTES}) AS head, substr(CAST(body AS BLOB), -${EDGE_BYTES}) AS tail
  FROM events WHERE seq = ?`

/** The stored body. */
export function readBodyBytes(database: Pick<Database, 'first'>, seq: number): Buffer {
  return asBuffer(database.first(BODY, seq)?.body)
}

/**
 * A large event with an empty payload. The payload is the last member before those that the ledger adds, so the two ends
 * of the text contain the rest. A body of an older ledger, with members in any order, is parsed as a whole.
 */
export function readOutline(database: Pick<Database, 'first'>, seq: number): StoredEvent {
  const edges = database.first(EDGES, seq)
  const outline = outlineOf(asBuffer(edges?.head), asBuffer(edges?.tail))
  return outline ?? { ...(JSON.parse(readBodyBytes(database, seq).toString()) as StoredEvent), payload: {} }
}

function asBuffer(bytes: unknown): Buffer {
  const { buffer, byteOffset, byteLength } = bytes as Uint8Array
  return Buffer.from(buffer, byteOffset, byteLength)
}
