import type { CardActor } from '../model/board/card-history.js'
import type { LogPiece, Run, RunState } from '../model/board/run.js'

export interface RunFilter {
  card_id?: string
  state?: RunState
}

/** The status of a run; its other members never change, or the store counts them. */
export type RunChanges = Partial<Pick<Run, 'state' | 'reason' | 'exit_code' | 'signal' | 'started_at' | 'finished_at'>>

/** Runs and their logs. Start and end of a run are in the history of its card, by the same transaction. */
export interface RunStore {
  /** Newest first. */
  list(filter: RunFilter, page: { limit: number; after: number | null }): Promise<{ items: Run[]; next: number | null }>
  find(id: string): Promise<Run | undefined>
  /** How many are stored, by state; states without one are left out. */
  countByState(): Promise<[RunState, number][]>
  /** Drops the oldest finished runs beyond `keep`, with their logs. */
  create(run: Run, options: { keep: number; by: CardActor }): Promise<void>
  /** @param by who ended it; else the executor @returns the changed run; `undefined` if it does not exist */
  update(id: string, changes: RunChanges, by?: CardActor): Promise<Run | undefined>
  /**
   * Stores the marker that the environment of every process of the run contains, to find them after a crash. It is never
   * shown.
   */
  mark(id: string, marker: string): Promise<void>
  /** Queued and running ones, oldest first, with the marker of their processes. */
  listActive(): Promise<{ run: Run; marker: string | undefined }[]>
  /** Adds to a log, and drops its oldest pieces beyond the bounds. On the disk with the next durable write. */
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
