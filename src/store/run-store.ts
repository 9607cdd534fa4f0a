import type { CardActor } from '../model/board/card-history.js'
import type { LogPiece, Run, RunState } from '../model/board/run.js'
import type { Lease } from './event-store.js'

export interface RunFilter {
  card_id?: string
  state?: RunState
}

/** The status of a run; its other members never change, or the store counts them. */
export type RunChanges = Partial<Pick<Run, 'state' | 'reason' | 'exit_code' | 'signal' | 'started_at' | 'finished_at'>>

/** A queued or running run. */
export interface ActiveRun {
  run: Run
  /** Identifies its processes. */
  marker: string | undefined
  /** An executor performs it. It is queued until its program has started. */
  isTaken: boolean
}

/** Runs and their logs. The same transaction adds the start or end of a run to the history of its card. */
export interface RunStore {
  /** Newest first. */
  list(filter: RunFilter, page: { limit: number; after: number | null }): Promise<{ items: Run[]; next: number | null }>
  find(id: string): Promise<Run | undefined>
  /** How many are stored, by state; states without one are left out. */
  countByState(): Promise<[RunState, number][]>
  /**
   * Adds a run, and drops the oldest finished runs beyond `keep`, with their logs.
   *
   * @param options `mostQueued`: how many may wait for their turn, this one included; absent for one that does not wait
   * @returns whether there was room
   */
  create(run: Run, options: { keep: number; by: CardActor; mostQueued?: number }): Promise<boolean>
  /**
   * Changes a run. A finished run stays as it is.
   *
   * @param by who ended it; absent: the executor
   * @returns the run after the change; `undefined` if it does not exist
   */
  update(id: string, changes: RunChanges, by?: CardActor): Promise<Run | undefined>
  /**
   * Takes the oldest queued run in order to perform it.
   *
   * @param lease where processes share the board
   * @returns undefined if none waits, the executor is paused, or another process holds the lease
   */
  takeQueued(lease?: Lease): Promise<Run | undefined>
  /** Cancels a run that no executor has taken. @returns whether it did */
  cancelQueued(id: string, options: { at: string; by: CardActor }): Promise<boolean>
  /**
   * Stores the marker that the environment of every process of the run contains, to find them after a crash. It is never
   * shown.
   */
  mark(id: string, marker: string): Promise<void>
  /** Queued and running ones, oldest first, with the marker of their processes. */
  listActive(): Promise<ActiveRun[]>
  /** Adds to a log, and drops its oldest pieces beyond the bounds. The next durable write puts it on the disk. */
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

/** Coordinates the processes that share a board. Source: docs/decisions/0075. */
export interface MultiServerRuns {
  /**
   * Takes the lease on performing runs. Runs that an earlier holder left unfinished become `interrupted`.
   *
   * @param at the present instant
   * @returns undefined while another process holds it
   */
  acquireLease(options: { seconds: number; at: string }): Promise<Lease | undefined>
  /** @returns false if it was released, or another process may have it by now */
  renewLease(lease: Lease, seconds: number): Promise<boolean>
  releaseLease(lease: Lease): Promise<void>
  /** Markers of interrupted runs, whose processes may still run on the machine of their server. */
  listLeftMarkers(): Promise<string[]>
  /** Asks the executor that performs a run to cancel it. The first request counts. */
  requestCancel(id: string, by: CardActor): Promise<void>
  /** Who wants the run to be cancelled. */
  findCancelRequest(id: string): Promise<CardActor | undefined>
  /**
   * Calls the listener, until the store is closed, after a process has changed a run, its log or the queue; sometimes
   * also without a change.
   *
   * @param listener receives the id of the run; undefined: any run may have changed
   */
  onChange(listener: (id: string | undefined) => void): void
}
