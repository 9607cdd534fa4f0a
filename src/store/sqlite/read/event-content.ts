import type { CopiedEvent } from '../../copy-store.js'
import { contentDigest, findContent } from '../../event-digest.js'
import type { Database, Row } from '../files/database.js'
import { readBodyBytes } from '../search/large-body.js'

/** SQLite writes JSON as `JSON.stringify` does: without blanks, and with texts and numbers as they are. */
const OLDER_CONTENT = /* sql */ `
  SELECT CASE WHEN json_valid(body) THEN
    CAST(json_remove(body, '$.subscription_ids', '$.captured_at', '$.seen_count', '$.last_seen_at') AS BLOB) END AS content
  FROM (SELECT CAST(? AS TEXT) AS body)`
const CAPTURED_AT = Buffer.from(',"captured_at":"')

/**
 * The part of a stored event that its digest covers, for every release. Older bodies have their members in another
 * order. In a body that SQLite cannot read as JSON, only the end ever changes.
 */
export function readContent(
  database: Pick<Database, 'first'>,
  seq: number,
  body = readBodyBytes(database, seq),
): Buffer {
  return contentOfBody(database, body)
}

function contentOfBody(database: Pick<Database, 'first'>, body: Buffer): Buffer {
  const content = findContent(body)
  if (content) return content
  const older = database.first(OLDER_CONTENT, body)?.content as Uint8Array | null | undefined
  if (older) return Buffer.from(older.buffer, older.byteOffset, older.byteLength - 1)
  const end = body.lastIndexOf(CAPTURED_AT)
  return end === -1 ? body : body.subarray(0, end)
}

/** The digest of the content that a copied event has, or had before it was erased. */
export function copiedContentDigest(
  database: Pick<Database, 'first'>,
  { body, contentDigest: removed }: Pick<CopiedEvent, 'body' | 'contentDigest'>,
): string {
  if (removed !== null) return Buffer.from(removed, 'hex').toString('latin1')
  return contentDigest(contentOfBody(database, Buffer.from(body.buffer, body.byteOffset, body.byteLength)))
}

/**
 * Digest of the content of an event before it was erased, as `contentDigest` returns it; undefined if it was not
 * erased.
 */
export function storedContentDigest({ content_digest }: Row): string | undefined {
  return content_digest ? Buffer.from(content_digest as Uint8Array).toString('latin1') : undefined
}
