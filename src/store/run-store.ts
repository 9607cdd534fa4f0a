import type { LogPiece, Run, RunState } from '../model/run.js'

export interface RunFilter {
  card_id?: string
  state?: RunState
}

/** What is kept of a run for whoever comes after a crash; never shown. */
export interface RunTrace {
  /** In the environment of every process of the run. */
  marker: string
  /** Of the first process; null before it starts. */
  pid: number | null
}

/** Rows of runs and their logs. Synchronous, as the rows of cards are. */
export interface RunStore {
  /** Newest first. */
  list(filter: RunFilter, page: { limit: number; after: number | null }): { items: Run[]; next: number | null }
  find(id: string): Run | undefined
  /** Drops the oldest finished runs beyond `keep`, with their logs. */
  create(run: Run, options: { keep: number }): void
  /** @returns the run as it is then; `undefined` where there is none */
  update(id: string, changes: Partial<Run>): Run | undefined
  trace(id: string, trace: RunTrace): void
  /** Queued and running ones, oldest first, with their traces. */
  listActive(): { run: Run; trace: RunTrace | undefined }[]
  /** Adds to a log; pieces at its beginning give way beyond the bounds. On the disk with the next durable write. */
  appendLog(id: string, pieces: readonly Omit<LogPiece, 'seq'>[], most: { bytes: number; pieces: number }): LogPiece[]
  /** Pieces with a higher `seq` than `after`, oldest first, up to about `maxBytes` of text and a bounded number. */
  readLog(id: string, after: number, maxBytes: number): LogPiece[]
  isPaused(): boolean
  setPaused(paused: boolean): void
}
