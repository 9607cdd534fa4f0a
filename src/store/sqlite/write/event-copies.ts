import { AppError } from '../../../model/app-error.js'
import type { StoredEvent } from '../../../model/events/event.js'
import {
  type CopiedEvent,
  type CopyStep,
  copiedEventDiffers,
  findUnordered,
  type ImportMark,
  keyIsStored,
  type MovedMark,
  notFollowing,
  otherChain,
} from '../../copy-store.js'
import { contentDigest } from '../../event-digest.js'
import type { LedgerHead } from '../../event-store.js'
import { borderOf } from '../../rows/removed-events.js'
import type { BackgroundRemoval } from '../erase/background-removal.js'
import type { Eraser } from '../erase/eraser.js'
import type { PrunedEvents } from '../erase/pruned-events.js'
import { prunedBody } from '../erase/stored-tombstone.js'
import type { Database } from '../files/database.js'
import { copiedContentDigest, readContent, storedContentDigest } from '../read/event-content.js'
import type { SearchIndex } from '../search/search-index.js'
import { asBuffer, type EventWriter } from './event-writer.js'
import { type Epoch, findFollow, saveEpoch, saveFollow } from './follow-state.js'

const IS_STORED = /* sql */ `SELECT 1 FROM events WHERE dedupe_key = ?`
const FIND = /* sql */ `SELECT seq, captured_us, source, subject_id, seen_count, content_digest FROM events WHERE dedupe_key = ?`
const SUBSCRIPTIONS_OF = /* sql */ `
  SELECT value FROM json_each((SELECT body FROM events WHERE seq = ? AND json_valid(body)), '$.subscription_ids')`
const CHANGE = /* sql */ `UPDATE events SET seen_count = ?, body = CAST(? AS TEXT) WHERE seq = ?`
const FIND_MARK = /* sql */ `SELECT value FROM meta WHERE name = 'import'`
const SAVE_MARK = /* sql */ `INSERT INTO meta VALUES ('import', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
const DELETE_MARK = /* sql */ `DELETE FROM meta WHERE name = 'import'`
const FIND_MOVED = /* sql */ `SELECT value FROM meta WHERE name = 'moved'`
const SAVE_MOVED = /* sql */ `INSERT INTO meta VALUES ('moved', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
const DELETE_MOVED = /* sql */ `DELETE FROM meta WHERE name = 'moved'`

/** An event that changed, and where it is stored. */
interface Change {
  event: CopiedEvent
  body: Buffer
  seq: number
  source: string
  seenCount: number
  /**
   * `content`: with its content; `erased`: its content has to be removed; `tombstone`: its content is already removed;
   * `pruned`: retention has removed it.
   */
  kind: 'content' | 'erased' | 'tombstone' | 'pruned'
}

interface Parts {
  database: Database
  index: SearchIndex
  writer: EventWriter
  pruned: PrunedEvents
  eraser: Eraser
  backgroundRemoval: BackgroundRemoval
}

/**
 * Stores a part of another ledger in the caller's transaction.
 *
 * @returns the newest event, or an error before any change
 */
export function writeCopies(
  parts: Parts,
  { appended, changed, through, mark }: CopyStep,
): LedgerHead | null | AppError {
  const { database, writer } = parts
  // The ledger may have been promoted since the page was requested.
  if (mark && !findFollow(database).mark) return notFollowing()
  const refusal = findUnordered(appended, writer.head?.capturedAt ?? 0)
  if (refusal) return refusal
  const known = appended.find(({ storedKey }) => database.first(IS_STORED, storedKey))
  if (known) return keyIsStored(known.storedKey)
  const changes: Change[] = []
  for (const event of changed) {
    const change = findChange(database, event)
    if (change instanceof AppError) return change
    if (change) changes.push(change)
  }
  const digests = writer.digestsOf(appended)
  const digest = digests.at(-1)
  if (through?.digest && digest && digest.toString('hex') !== through.digest) return otherChain(through)
  for (const [at, event] of appended.entries()) {
    writer.appendCopy(event, digests[at] ?? null)
    const border = borderOf(event)
    if (border !== undefined) parts.pruned.add(border, writer.appended)
  }
  for (const change of changes) {
    applyChange(parts, change)
    writer.noteChange(change.seq, change.source, change.event.seenCount - change.seenCount)
  }
  if (changes.some(({ kind }) => kind === 'erased')) parts.backgroundRemoval.noteErased()
  if (mark) saveFollow(database, mark)
  return writer.head
}

function applyChange({ database, index, eraser }: Parts, { event, body, seq, kind }: Change): void {
  if (kind === 'erased') eraser.replace(seq, JSON.parse(body.toString()) as StoredEvent)
  if (kind === 'pruned') {
    const left = JSON.stringify(prunedBody(JSON.parse(body.toString()) as StoredEvent))
    database.run(CHANGE, event.seenCount, left, seq)
    return
  }
  const known = new Set(database.all(SUBSCRIPTIONS_OF, seq).map(row => String(row.value)))
  database.run(CHANGE, event.seenCount, body, seq)
  for (const id of event.subscriptionIds) if (!known.has(id)) index.addSubscription(seq, id)
}

export function findMark(database: Database): ImportMark | null {
  const row = database.first(FIND_MARK)
  return row ? (JSON.parse(String(row.value)) as ImportMark) : null
}

export function findMoved(database: Database): MovedMark | null {
  const row = database.first(FIND_MOVED)
  return row ? (JSON.parse(String(row.value)) as MovedMark) : null
}

export function saveMoved(database: Database, mark: MovedMark | null): void {
  if (mark) database.run(SAVE_MOVED, JSON.stringify(mark))
  else database.run(DELETE_MOVED)
}

export function saveMark(database: Database, ledger: Epoch, mark: ImportMark | null, epoch?: string): void {
  if (mark) database.run(SAVE_MARK, JSON.stringify(mark))
  else database.run(DELETE_MARK)
  if (epoch !== undefined) saveEpoch(database, ledger, epoch)
}

function findChange(database: Database, event: CopiedEvent): Change | AppError | undefined {
  const row = database.first(FIND, event.storedKey)
  if (!row) return undefined
  const seq = Number(row.seq)
  const body = asBuffer(event.body)
  const removed = storedContentDigest(row)
  const isSame =
    Number(row.captured_us) === event.capturedAt &&
    copiedContentDigest(database, event) === (removed ?? contentDigest(readContent(database, seq)))
  if (!isSame) return copiedEventDiffers(event.storedKey, 'Its content is not that of the stored event.')
  const isErased = event.contentDigest !== null
  // A resumed import reads changes again that came before the erasure.
  if (removed !== undefined && !isErased) return undefined
  const erased = removed === undefined ? 'erased' : row.subject_id === '' ? 'pruned' : 'tombstone'
  const found = { source: String(row.source), seenCount: Number(row.seen_count) }
  return { event, body, seq, ...found, kind: isErased ? erased : 'content' }
}
