import type { Micros } from '../../../model/timestamp.js'
import { numberOrNull } from '../../rows/columns.js'
import type { Database } from '../files/database.js'

/** One row for each pruning: the last event that it removed, and the event that records it. */
export const PRUNINGS_TABLE = /* sql */ `
  CREATE TABLE prunings (through_seq INTEGER PRIMARY KEY, entry_seq INTEGER NOT NULL) STRICT;
`

const AT = /* sql */ `SELECT seq FROM events WHERE captured_us = ?`
const ADD = /* sql */ `INSERT OR REPLACE INTO prunings (through_seq, entry_seq) VALUES (?, ?)`
const NEWEST = /* sql */ `
  SELECT seq, captured_us FROM events WHERE seq = (SELECT max(through_seq) FROM prunings)`
const NEXT = /* sql */ `SELECT captured_us FROM events WHERE seq > ? ORDER BY seq LIMIT 1`

/**
 * The last event that retention has removed, with all before it. Rows of these events stay, for their keys, counts and
 * digests.
 */
export class PrunedEvents {
  #newest: { seq: number; at: Micros | null } | undefined
  #earliest: Micros | null = null

  constructor(private readonly database: Database) {}

  /** `seq` of the newest removed event; 0 for none. */
  get through(): number {
    return this.#read().seq
  }

  /** Its `captured_at`. */
  get throughAt(): Micros | null {
    return this.#read().at
  }

  /** `captured_at` of the first event that was not removed; null if there is none. */
  get earliest(): Micros | null {
    this.#earliest ??= numberOrNull(this.database.first(NEXT, this.through)?.captured_us)
    return this.#earliest
  }

  /** Marks all events up to that one as removed. @param entry `seq` of the event that records it */
  add(through: Micros, entry: number): void {
    const last = this.database.first(AT, through)
    if (last) this.database.run(ADD, Number(last.seq), entry)
    this.forget()
  }

  /** Call it after a rollback. */
  forget(): void {
    this.#newest = undefined
    this.#earliest = null
  }

  #read() {
    if (!this.#newest) {
      const row = this.database.first(NEWEST)
      this.#newest = { seq: Number(row?.seq ?? 0), at: numberOrNull(row?.captured_us) }
    }
    return this.#newest
  }
}
