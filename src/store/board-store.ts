import type { Micros } from '../model/timestamp.js'
import type { BoardRows } from './board-rows.js'
import type { BoardSessionStore } from './board-session-store.js'
import type { CardHistoryStore } from './card-history-store.js'
import type { CardStore } from './card-store.js'
import type { LoginFailureStore } from './login-failure-store.js'
import type { MultiServerRuns, RunStore } from './run-store.js'

/** An opened board. */
export interface BoardStore {
  readonly cards: CardStore
  readonly runs: RunStore
  readonly history: CardHistoryStore
  readonly sessions: BoardSessionStore
  /** The rows of the board, for copies. */
  readonly rows: BoardRows
  /** Absent where only this process has the board open. */
  readonly multiServer?: MultiServerBoard | undefined
  /**
   * Proves that the board can commit, with a write, unless it wrote within the last second.
   *
   * @throws AppError `unavailable/…`
   */
  checkWritable(): Promise<void>
  /** Completes pending work, then closes the board. @throws AppError `unavailable/…` */
  close(): Promise<void>
}

export interface MultiServerBoard {
  /** The clock that all servers share. */
  now(): Micros
  readonly runs: MultiServerRuns
  readonly loginFailures: LoginFailureStore
  /** Size of all tables of the board, with their indexes. */
  sizeBytes(): Promise<number>
}
