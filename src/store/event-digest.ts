/**
 * The chain of digests over the events. The digest of an event covers its content, its `captured_at` and the digest of the
 * event before it, so one digest vouches for every event up to its own.
 *
 * Source: docs/decisions/0051.
 */
import { hash } from 'node:crypto'
import type { Micros } from '../model/timestamp.js'

const DIGEST_BYTES = 32

/** The digest that the first event continues. */
export const EMPTY_DIGEST = Buffer.alloc(DIGEST_BYTES)

/** Separates the members that never change from those that the ledger changes later. */
const CHANGING = Buffer.from(',"subscription_ids":[')
/** The end of a body that this release has stored. Older releases put another member before `captured_at`. */
const END = /\],"captured_at":"[-0-9T:.Z]{27}","seen_count":[1-9][0-9]{0,15},"last_seen_at":"[-0-9T:.Z]{27}"\}$/u
/** Upper bound of the length of that end, in bytes. */
const END_BYTES = 160

/**
 * The content of an event: its JSON without blanks up to the members that the ledger changes later (`subscription_ids`,
 * `seen_count`, `last_seen_at`) or that the chain has itself (`captured_at`), and without the closing brace.
 *
 * @param body as this release stores it
 */
export function contentOf(body: Buffer): Buffer {
  return body.subarray(0, body.lastIndexOf(CHANGING))
}

/** The same for any stored body; undefined if its members are in the order of an older release. */
export function findContent(body: Buffer): Buffer | undefined {
  const isOurs = END.test(body.toString('latin1', Math.max(0, body.length - END_BYTES)))
  return isOurs && body.includes(CHANGING) ? contentOf(body) : undefined
}

/** Returned as Latin-1 text: with a `Buffer`, it would take half as long again. */
export function contentDigest(content: Uint8Array): string {
  return hash('sha256', content, 'binary')
}

const link = Buffer.alloc(DIGEST_BYTES * 2 + 8)

/** The digest of an event: SHA-256 of the digest before it, the digest of its content, and its `captured_at` (8 bytes, big-endian). */
export function chainDigest(before: Uint8Array, content: string, capturedAt: Micros): Buffer {
  link.set(before)
  link.write(content, DIGEST_BYTES, 'latin1')
  link.writeBigUInt64BE(BigInt(capturedAt), DIGEST_BYTES * 2)
  return Buffer.from(hash('sha256', link, 'binary'), 'latin1')
}
