import type { Database } from '../files/database.js'

/**
 * Every so many events the ledger notes how many there are of each source by then. `seq` has no gaps, so this many
 * events fill a block, and counting them up to any event reads one note a source and at most one block.
 */
const BLOCK = 256

/** Of a source that a block has none of, the note of an earlier block still holds. */
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

/** Notes blocks as they are filled, inside the caller's transactions. */
export class SourceMarks {
  /** Of the block that is being filled; undefined where its beginning was not seen. */
  #inBlock: Map<string, number> | undefined

  constructor(private readonly database: Database) {}

  /** An event was appended. */
  count(seq: number, source: string): void {
    this.#inBlock?.set(source, (this.#inBlock.get(source) ?? 0) + 1)
    if (seq % BLOCK !== 0) return
    addMarks(this.database, seq, this.#inBlock ?? countInBlock(this.database, seq - BLOCK, seq))
    this.#inBlock = new Map()
  }

  /** The transaction failed: what was counted may not be there. */
  forget(): void {
    this.#inBlock = undefined
  }
}

/** Notes every block of a ledger that has none yet. */
export function markAll(database: Database): void {
  const newest = Number(database.first('SELECT max(seq) AS seq FROM events')?.seq ?? 0)
  for (let seq = BLOCK; seq <= newest; seq += BLOCK) addMarks(database, seq, countInBlock(database, seq - BLOCK, seq))
}

/** How many events each of these sources has up to `seq`, that included. */
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
