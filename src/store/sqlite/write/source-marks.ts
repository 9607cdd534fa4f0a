import type { Database } from '../files/database.js'
import { readBounds } from '../read/ledger-bounds.js'

/**
 * After each block of this many events, the ledger notes the number of events of each source so far. `seq` has no gaps,
 * so the count up to any event needs one note for each source and at most one block of events.
 */
const BLOCK = 256

/** For a source without events in a block, the note of an earlier block is still correct. */
export const SOURCE_MARK_TABLE = /* sql */ `
  -- Events of the source up to seq, which is the last of a block in which it occurs (source-marks.ts).
  CREATE TABLE source_marks (
    source TEXT NOT NULL, seq INTEGER NOT NULL, events INTEGER NOT NULL, PRIMARY KEY (source, seq)
  ) STRICT, WITHOUT ROWID;
`

const LATEST = /* sql */ `
  SELECT events FROM source_marks WHERE source = ? AND seq <= ? ORDER BY seq DESC LIMIT 1`

const COUNT = /* sql */ `SELECT source, count(*) AS events FROM events WHERE seq BETWEEN ? AND ? GROUP BY source`

const ADD = /* sql */ `INSERT INTO source_marks (source, seq, events) VALUES (?, ?, ?)`

/** Adds the notes when a block is full, inside the caller's transactions. */
export class SourceMarks {
  /** Counts of the current block; undefined if its first events were not counted here. */
  #inBlock: Map<string, number> | undefined

  constructor(private readonly database: Database) {}

  /** Call it for each appended event. */
  count(seq: number, source: string): void {
    this.#inBlock?.set(source, (this.#inBlock.get(source) ?? 0) + 1)
    if (seq % BLOCK !== 0) return
    addMarks(this.database, seq, this.#inBlock ?? countInBlock(this.database, seq - BLOCK, seq))
    this.#inBlock = new Map()
  }

  /** Call it after a rollback: the counted events may not be stored. */
  forget(): void {
    this.#inBlock = undefined
  }
}

/** Adds all notes to a ledger without notes. */
export function markAll(database: Database): void {
  const { seq: newest } = readBounds(database)
  for (let seq = BLOCK; seq <= newest; seq += BLOCK) addMarks(database, seq, countInBlock(database, seq - BLOCK, seq))
}

/** Number of events of each source up to and including `seq`. */
export function countSources(database: Database, sources: readonly string[], seq: number): number[] {
  const block = seq - (seq % BLOCK)
  const since = countInBlock(database, block, seq)
  return sources.map(source => countMarked(database, source, block) + (since.get(source) ?? 0))
}

function addMarks(database: Database, seq: number, inBlock: ReadonlyMap<string, number>): void {
  for (const [source, events] of inBlock) database.run(ADD, source, seq, countMarked(database, source, seq) + events)
}

function countMarked(database: Database, source: string, seq: number): number {
  return Number(database.first(LATEST, source, seq)?.events ?? 0)
}

function countInBlock(database: Database, after: number, upTo: number): Map<string, number> {
  if (upTo === after) return new Map()
  return new Map(database.all(COUNT, after + 1, upTo).map(row => [String(row.source), Number(row.events)]))
}
