import type { JSValue } from 'node-sqlite3-wasm'
import { LEDGER_ROUTE } from '../../../model/events/erasure.js'
import type { Erased, StoredEvent } from '../../../model/events/event.js'
import type { Micros } from '../../../model/timestamp.js'
import { contentDigest } from '../../event-digest.js'
import { LARGE_EVENT_BYTES } from '../../large-event.js'
import { tombstoneOf } from '../../rows/removed-events.js'
import type { Database, Row } from '../files/database.js'
import { readContent } from '../read/event-content.js'
import { readOutline } from '../search/large-body.js'
import type { SearchIndex } from '../search/search-index.js'
import type { EventChanges } from '../write/event-changes.js'
import { keptMembers, prunedBody } from './stored-tombstone.js'

const COLUMNS = /* sql */ `
  seq, dedupe_key, captured_us, source, kind, seen_count, digest, content_digest,
  CASE WHEN octet_length(body) <= ${LARGE_EVENT_BYTES} THEN body END AS body`
const AT = /* sql */ `
  SELECT ${COLUMNS} FROM events
  WHERE captured_us = ? AND content_digest IS NULL AND seq > (SELECT coalesce(max(through_seq), 0) FROM prunings)`
const NEXT = /* sql */ `SELECT ${COLUMNS} FROM events WHERE seq = ?`
/** The subject may be a person. */
const ERASE = /* sql */ `UPDATE events SET subject_id = ?, body = ?, content_digest = ? WHERE seq = ?`

/** The members of an event that the index reads. */
const EVENT_MEMBERS = ['provenance', 'actor', 'action', 'subscription_ids'] as const
const DELETE = /* sql */ `DELETE FROM events WHERE seq = ?`
const INSERT = /* sql */ `
  INSERT INTO events (seq, dedupe_key, captured_us, source, kind, subject_id, seen_count, body, digest, content_digest)
  VALUES (?, ?, ?, ?, ?, '', ?, ?, ?, ?)`

/**
 * Removes the content of events from their rows and from the search index, inside the caller's transaction. The digest of
 * the content stays, so the chain of digests can still be verified.
 */
export class Eraser {
  private readonly index: SearchIndex
  private readonly changes: EventChanges

  constructor(
    private readonly database: Database,
    { index, changes }: { index: SearchIndex; changes: EventChanges },
  ) {
    this.index = index
    this.changes = changes
  }

  /** Entries of the ledger stay: they prove which events were erased. */
  erase(events: readonly Micros[], erased: Erased): void {
    const seqs: number[] = []
    for (const at of events) {
      const row = this.database.first(AT, at)
      if (!row) continue
      const event = this.#read(row)
      if (event?.provenance.route === LEDGER_ROUTE) continue
      this.#leave(tombstoneOf(row, keptMembers(row, event), erased), row, event)
      this.changes.note(Number(row.seq))
      seqs.push(Number(row.seq))
    }
    this.#forgetTexts(seqs)
  }

  /** The same for an event that another ledger has erased. */
  replace(seq: number, tombstone: StoredEvent): void {
    const row = this.database.first(NEXT, seq)
    if (!row) return
    this.#leave(tombstone, row, this.#read(row))
    this.#forgetTexts([seq])
  }

  #leave(tombstone: StoredEvent, row: Row, event: StoredEvent | undefined): void {
    const seq = Number(row.seq)
    this.index.forgetEvent(seq, event)
    this.database.run(ERASE, tombstone.subject_id, JSON.stringify(tombstone), this.#digestOf(row), seq)
    this.index.addFacets(seq, tombstone)
  }

  #forgetTexts(seqs: readonly number[]): void {
    for (const _ of this.index.forgetTexts(seqs)) {
      // Completes the work in this transaction.
    }
  }

  /**
   * Removes an event for retention. It needs no tombstone, as no page contains the event. Its text stays in the index
   * (`SearchIndex.forgetTextsUpTo`). The row is deleted and inserted: if it only became shorter, its page would stay partly
   * empty, because SQLite joins pages only when a row is deleted.
   */
  prune(seq: number): void {
    const row = this.database.first(NEXT, seq)
    if (!row) return
    const event = this.#read(row)
    const digest = this.#digestOf(row)
    const { dedupe_key, captured_us, source, kind, seen_count } = row
    this.index.forgetEvent(seq, event)
    this.database.run(DELETE, seq)
    const body = JSON.stringify(event ? prunedBody(event) : {})
    const columns = [seq, dedupe_key, captured_us, source, kind, seen_count, body, row.digest, digest]
    this.database.run(INSERT, ...(columns as JSValue[]))
  }

  #digestOf(row: Row): Uint8Array {
    if (row.content_digest) return row.content_digest as Uint8Array
    return Buffer.from(contentDigest(readContent(this.database, Number(row.seq))), 'latin1')
  }

  /** Undefined if its body is not an event: another program may have changed it. */
  #read({ seq, body }: Row): StoredEvent | undefined {
    try {
      const event = body === null ? readOutline(this.database, Number(seq)) : (JSON.parse(String(body)) as StoredEvent)
      return EVENT_MEMBERS.every(name => event?.[name]) ? event : undefined
    } catch (error) {
      if (error instanceof SyntaxError) return undefined // `daybook ledger verify` reports it
      throw error
    }
  }
}
