import type { LogPiece, Run, RunState } from '../model/board/run.js'

export interface RunFilter {
  card_id?: string
  state?: RunState
}

/** What becomes of a run; all else of it is as it was made, or counted by the store. */
export type RunChanges = Partial<Pick<Run, 'state' | 'reason' | 'exit_code' | 'signal' | 'started_at' | 'finished_at'>>

/** Rows of runs and their logs. */
export interface RunStore {
  /** Newest first. */
  list(filter: RunFilter, page: { limit: number; after: number | null }): Promise<{ items: Run[]; next: number | null }>
  find(id: string): Promise<Run | undefined>
  /** Drops the oldest finished runs beyond `keep`, with their logs. */
  create(run: Run, options: { keep: number }): Promise<void>
  /** @returns the run as it is then; `undefined` where there is none */
  update(id: string, changes: RunChanges): Promise<Run | undefined>
  /**
   * Keeps what stands in the environment of every process of the run, for whoever comes after a crash; it is never
   * shown.
   */
  mark(id: string, marker: string): Promise<void>
  /** Queued and running ones, oldest first, with what marks their processes. */
  listActive(): Promise<{ run: Run; marker: string | undefined }[]>
  /** Adds to a log; pieces at its beginning give way beyond the bounds. On the disk with the next durable write. */
  appendLog(
    id: string,
    pieces: readonly Omit<LogPiece, 'seq'>[],
    most: { bytes: number; pieces: number },
  ): Promise<LogPiece[]>
  /** Pieces with a higher `seq` than `after`, oldest first, up to about `maxBytes` of text and a bounded number. */
  readLog(id: string, after: number, maxBytes: number): Promise<LogPiece[]>
  isPaused(): Promise<boolean>
  setPaused(paused: boolean): Promise<void>
}
