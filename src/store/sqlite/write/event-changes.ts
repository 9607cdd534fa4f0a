import type { Database } from '../files/database.js'

/** The last change of each event that changed after it was captured, for ledgers that copy this one. */
export const EVENT_CHANGES_TABLE = /* sql */ `
  CREATE TABLE event_changes (seq INTEGER PRIMARY KEY, number INTEGER NOT NULL UNIQUE) STRICT;
`

const NEWEST = /* sql */ `SELECT max(number) AS number FROM event_changes`
const NOTE = /* sql */ `
  INSERT INTO event_changes (seq, number) VALUES (?, ?) ON CONFLICT (seq) DO UPDATE SET number = excluded.number`

const NUMBERING = /* sql */ `SELECT value FROM meta WHERE name = 'changes_numbering'`

/** Numbers the changes of events inside the caller's transactions. Numbers only increase. */
export class EventChanges {
  #newest: number

  constructor(private readonly database: Database) {
    this.#newest = newestChange(database)
  }

  /** Read it before a transaction, for `rewind`. */
  get newest(): number {
    return this.#newest
  }

  rewind(newest: number): void {
    this.#newest = newest
  }

  note(seq: number): void {
    this.#newest++
    this.database.run(NOTE, seq, this.#newest)
  }
}

/** Identifies the numbering of the changes: a copy of this ledger numbers the same changes differently. */
export function changeNumbering(database: Pick<Database, 'first'>): string {
  return String(database.first(NUMBERING)?.value)
}

export function newestChange(database: Pick<Database, 'first'>): number {
  return Number(database.first(NEWEST)?.number ?? 0)
}
