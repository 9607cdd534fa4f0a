import { type CardAction, type CardActor, EXECUTOR } from '../../../model/board/card-history.js'
import { isFinished, type LogPiece, type Run, type RunState } from '../../../model/board/run.js'
import { textOrNull } from '../../rows/columns.js'
import { endOf, toRun } from '../../rows/stored-run.js'
import type { ActiveRun, RunChanges, RunFilter } from '../../run-store.js'
import type { Database, Row } from '../files/database.js'
import { addToHistory } from './card-history.js'

/** Texts of logs are stored as bytes: they may contain NUL, and the driver would cut a text there. */
const CREATE_TABLES = /* sql */ `
  CREATE TABLE runs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    card_id TEXT NOT NULL,
    mode TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    exit_code INTEGER,
    signal TEXT,
    created_at TEXT NOT NULL,
    started_at TEXT,
    finished_at TEXT,
    timeout_seconds INTEGER NOT NULL,
    log_bytes INTEGER NOT NULL,
    log_dropped_bytes INTEGER NOT NULL,
    log_seq INTEGER NOT NULL DEFAULT 0,
    plan TEXT,
    marker TEXT
  ) STRICT;
  CREATE INDEX runs_by_card ON runs (card_id, seq);
  CREATE INDEX runs_by_state ON runs (state, seq);
  CREATE TABLE run_log (
    run INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at TEXT NOT NULL,
    stream TEXT NOT NULL,
    text BLOB NOT NULL,
    PRIMARY KEY (run, seq)
  ) STRICT;
  CREATE TABLE executor (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    paused INTEGER NOT NULL
  ) STRICT;
  INSERT INTO executor (only, paused) VALUES (1, 0)`

const RUN = `seq, id, card_id, mode, state, reason, exit_code, signal, created_at, started_at, finished_at,
  timeout_seconds, log_bytes, log_dropped_bytes, plan`
const LIST = /* sql */ `
  SELECT ${RUN} FROM runs
  WHERE (?1 IS NULL OR card_id = ?1) AND (?2 IS NULL OR state = ?2) AND (?3 IS NULL OR seq < ?3)
  ORDER BY seq DESC LIMIT ?4`
const COUNT = /* sql */ `SELECT state, count(*) AS runs FROM runs GROUP BY state ORDER BY state`
const FIND = /* sql */ `SELECT ${RUN} FROM runs WHERE id = ?`
const HAS_MODE = /* sql */ `SELECT 1 FROM runs WHERE card_id = ? AND mode = ? LIMIT 1`
const CREATE = /* sql */ `
  INSERT INTO runs (id, card_id, mode, state, reason, exit_code, signal, created_at, started_at, finished_at,
    timeout_seconds, log_bytes, log_dropped_bytes, plan)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const UPDATE = /* sql */ `
  UPDATE runs SET state = ?2, reason = ?3, exit_code = ?4, signal = ?5, started_at = ?6, finished_at = ?7 WHERE id = ?1`
const FIND_BEYOND = /* sql */ `
  SELECT seq FROM runs WHERE state NOT IN ('queued', 'running') ORDER BY seq DESC LIMIT -1 OFFSET ?`
const DELETE = /* sql */ `DELETE FROM runs WHERE seq = ?`
const DELETE_LOG = /* sql */ `DELETE FROM run_log WHERE run = ?`
const MARK = /* sql */ `UPDATE runs SET marker = ?2 WHERE id = ?1`
const LIST_ACTIVE = /* sql */ `SELECT ${RUN}, marker FROM runs WHERE state IN ('queued', 'running') ORDER BY seq`
const LIST_QUEUED = /* sql */ `SELECT ${RUN} FROM runs WHERE state = 'queued' ORDER BY seq`

const FIND_LOG = /* sql */ `SELECT seq, log_seq, log_bytes, log_dropped_bytes FROM runs WHERE id = ?`
const APPEND = /* sql */ `INSERT INTO run_log (run, seq, at, stream, text) VALUES (?, ?, ?, ?, ?)`
const OLDEST = /* sql */ `
  SELECT seq, length(text) AS bytes FROM run_log WHERE run = ? ORDER BY seq LIMIT 1`
const DROP = /* sql */ `DELETE FROM run_log WHERE run = ? AND seq = ?`
const COUNT_LOG = /* sql */ `UPDATE runs SET log_seq = ?2, log_bytes = ?3, log_dropped_bytes = ?4 WHERE seq = ?1`
const READ_LOG = /* sql */ `
  SELECT seq, at, stream, text FROM run_log
  WHERE run = (SELECT seq FROM runs WHERE id = ?1) AND seq > ?2 ORDER BY seq LIMIT ?3`

const IS_PAUSED = /* sql */ `SELECT paused FROM executor`
const SET_PAUSED = /* sql */ `UPDATE executor SET paused = ?`

/** Pieces may be small, so this many are read together. */
const PIECES_AT_ONCE = 64
/** A longer log needs several reads, with other tasks between them. */
const PIECES_A_READ = 1_024

/** For the migration that creates them. */
export function createRunTables(database: Database): void {
  database.exec(CREATE_TABLES)
}

/** Runs and their logs in the board's database. */
export class SqliteRunStore {
  /** Runs that the executor of this process performs. No other process has the file open. */
  readonly #taken = new Set<string>()

  constructor(private readonly database: Database) {}

  list(
    { card_id, state }: RunFilter,
    { limit, after }: { limit: number; after: number | null },
  ): { items: Run[]; next: number | null } {
    const rows = this.database.all(LIST, card_id ?? null, state ?? null, after, limit + 1)
    const page = rows.slice(0, limit)
    return { items: page.map(toRun), next: rows.length > limit ? Number(page.at(-1)?.seq) : null }
  }

  countByState(): [RunState, number][] {
    return this.database.all(COUNT).map(row => [row.state as RunState, Number(row.runs)])
  }

  find(id: string): Run | undefined {
    const row = this.database.first(FIND, id)
    return row && toRun(row)
  }

  create(run: Run, { keep, by, mostQueued }: { keep: number; by: CardActor; mostQueued?: number }): boolean {
    return this.database.transaction(() => {
      if (mostQueued !== undefined && this.#listQueued().length >= mostQueued) return false
      const { id, card_id, mode } = run
      const again = this.database.first(HAS_MODE, card_id, mode) ? { again: true } : {}
      const started: CardAction = { action: 'run_started', run: id, mode, ...again }
      addToHistory(this.database, card_id, { by, at: run.created_at }, [started])
      this.database.run(
        CREATE,
        ...[run.id, run.card_id, run.mode, run.state, run.reason, run.exit_code, run.signal, run.created_at],
        ...[run.started_at, run.finished_at, run.timeout_seconds, run.log_bytes, run.log_dropped_bytes],
        run.plan && JSON.stringify(run.plan),
      )
      for (const { seq } of this.database.all(FIND_BEYOND, keep)) {
        this.database.run(DELETE_LOG, Number(seq))
        this.database.run(DELETE, Number(seq))
      }
      return true
    })
  }

  update(id: string, changes: RunChanges, by: CardActor = EXECUTOR): Run | undefined {
    const run = this.database.transaction(() => {
      const before = this.find(id)
      if (!before || isFinished(before)) return before
      const { state, reason, exit_code, signal, started_at, finished_at } = { ...before, ...changes }
      this.database.run(UPDATE, id, state, reason, exit_code, signal, started_at, finished_at)
      const after = { ...before, state, reason, exit_code, signal, started_at, finished_at }
      if (isFinished(after)) {
        addToHistory(this.database, after.card_id, { by, at: finished_at ?? after.created_at }, [endOf(after)])
      }
      return after
    })
    // A run whose end is not stored is still queued: it must not be taken again.
    if (run && isFinished(run)) this.#taken.delete(id)
    return run
  }

  takeQueued(): Run | undefined {
    const run = this.isPaused() ? undefined : this.#listQueued()[0]
    if (run) this.#taken.add(run.id)
    return run
  }

  cancelQueued(id: string, { at, by }: { at: string; by: CardActor }): boolean {
    if (!this.#listQueued().some(run => run.id === id)) return false
    this.update(id, { state: 'cancelled', finished_at: at }, by)
    return true
  }

  /** Lists the runs that no executor has taken, oldest first. */
  #listQueued(): Run[] {
    return this.database
      .all(LIST_QUEUED)
      .map(toRun)
      .filter(({ id }) => !this.#taken.has(id))
  }

  mark(id: string, marker: string): void {
    this.database.transaction(() => this.database.run(MARK, id, marker))
  }

  listActive(): ActiveRun[] {
    return this.database.all(LIST_ACTIVE).map(row => ({
      run: toRun(row),
      marker: textOrNull(row.marker) ?? undefined,
      isTaken: this.#taken.has(String(row.id)),
    }))
  }

  appendLog(id: string, pieces: readonly Omit<LogPiece, 'seq'>[], most: { bytes: number; pieces: number }): LogPiece[] {
    return this.database.withRelaxedSync(() => {
      const log = this.database.first(FIND_LOG, id)
      if (!log) return []
      const run = Number(log.seq)
      let [last, bytes, dropped] = [Number(log.log_seq), Number(log.log_bytes), Number(log.log_dropped_bytes)]
      const appended = pieces.map(piece => ({ seq: ++last, ...piece }))
      for (const { seq, at, stream, text } of appended) {
        const encoded = Buffer.from(text)
        this.database.run(APPEND, run, seq, at, stream, encoded)
        bytes += encoded.length
      }
      for (;;) {
        const oldest = this.database.first(OLDEST, run)
        const isTooMuch = bytes > most.bytes || last - Number(oldest?.seq) >= most.pieces
        if (!oldest || !isTooMuch) break
        bytes -= Number(oldest.bytes)
        dropped += Number(oldest.bytes)
        this.database.run(DROP, run, Number(oldest.seq))
      }
      this.database.run(COUNT_LOG, run, last, bytes, dropped)
      return appended
    })
  }

  readLog(id: string, after: number, maxBytes: number): LogPiece[] {
    const pieces: LogPiece[] = []
    let [last, bytes] = [after, 0]
    while (bytes < maxBytes && pieces.length < PIECES_A_READ) {
      const rows = this.database.all(READ_LOG, id, last, PIECES_AT_ONCE)
      for (const row of rows) {
        const text = row.text as Uint8Array
        pieces.push(toPiece(row, text))
        last = Number(row.seq)
        bytes += text.byteLength
        if (bytes >= maxBytes) return pieces
      }
      if (rows.length < PIECES_AT_ONCE) break
    }
    return pieces
  }

  isPaused(): boolean {
    return this.database.first(IS_PAUSED)?.paused === 1
  }

  setPaused(paused: boolean): void {
    this.database.transaction(() => this.database.run(SET_PAUSED, paused ? 1 : 0))
  }
}

function toPiece(row: Row, text: Uint8Array): LogPiece {
  return {
    seq: Number(row.seq),
    at: String(row.at),
    stream: row.stream as LogPiece['stream'],
    text: Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString(),
  }
}
