import { isUtf8 } from 'node:buffer'
import { AppError } from '../../model/app-error.js'
import { toTombstone } from '../../model/events/erasure.js'
import { type Provenance, type StoredEvent, storedKeyOf } from '../../model/events/event.js'
import { isObject } from '../../model/json-object.js'
import { findTimestamp } from '../../model/timestamp.js'
import type { CopiedEvent } from '../../store/copy-store.js'

/**
 * Reads an event as a ledger has stored it. Checks the members that fill the ledger's columns; the digests cover the
 * content.
 *
 * @param body its JSON in UTF-8, kept unchanged
 * @param event the same, parsed
 * @param contentDigest of content that was removed
 * @throws AppError `invalid/invalid_line`
 */
export function readCopiedEvent(
  body: Buffer,
  event: Record<string, unknown>,
  contentDigest: string | null,
): CopiedEvent {
  const { source, kind, subject_id, seen_count, provenance, subscription_ids = [] } = event as Partial<StoredEvent>
  const capturedAt = findTimestamp(event.captured_at)
  const problem = [
    ...['dedupe_key', 'source', 'kind', 'subject_id'].filter(name => !isText(event[name])),
    ...(capturedAt && capturedAt.text === event.captured_at && capturedAt.micros > 0 ? [] : ['captured_at']),
    ...(Number.isSafeInteger(seen_count) && Number(seen_count) > 0 ? [] : ['seen_count']),
    ...(Array.isArray(subscription_ids) && subscription_ids.every(id => typeof id === 'string')
      ? []
      : ['subscription_ids']),
  ]
  if (problem.length > 0) throw invalidLine(`It is not a stored event: ${problem.join(', ')}.`)
  if (contentDigest !== null && !isTombstone(body, event as unknown as StoredEvent)) {
    throw invalidLine('It was erased, and has content.')
  }
  return {
    storedKey: storedKeyOf(event as unknown as StoredEvent, (provenance ?? {}) as Provenance),
    capturedAt: capturedAt?.micros ?? 0,
    source: String(source),
    kind: String(kind),
    subjectId: String(subject_id),
    seenCount: Number(seen_count),
    subscriptionIds: subscription_ids,
    body,
    contentDigest,
  }
}

/** The JSON object in a line. @throws AppError `invalid/invalid_line` */
export function parseLine(line: Buffer): Record<string, unknown> {
  if (!isUtf8(line)) throw invalidLine('It is not UTF-8.')
  try {
    const value: unknown = JSON.parse(line.toString())
    if (isObject(value)) return value
  } catch {
    throw invalidLine('It is not JSON.')
  }
  throw invalidLine('It is not a JSON object.')
}

export function invalidLine(reason: string): AppError {
  return new AppError('invalid', 'invalid_line', reason)
}

/** An erased event has only the members of a tombstone. */
function isTombstone(body: Buffer, event: StoredEvent): boolean {
  const { provenance, erased } = event
  if (typeof provenance !== 'object' || provenance === null || erased === undefined) return false
  return JSON.stringify(toTombstone(event, erased)) === body.toString()
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
