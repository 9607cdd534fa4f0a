import type { Failure } from '../../../model/failure.js'

/**
 * How a task is carried out. `write`: in one transaction with all writes that wait. `read`: without a pause, soon.
 * `page`: as a query, but one slice answers it. `query`: in slices, with writes between them.
 */
export type TaskKind = 'write' | 'read' | 'page' | 'query'

/** A request to a store's thread to carry out a task. */
export interface TaskCall {
  kind: TaskKind
  /** Store and method: `users.list`. */
  task: string
  args: unknown[]
}

/** A message to the thread. `abort` has the number of a query, and no reply; `close` is the last one. */
export type StoreRequest = ({ id: number } & TaskCall) | { id: number; kind: 'abort' } | { id: number; kind: 'close' }

/** The thread sends replies in arrays. Reply 0 is its report after it has opened its files. */
export type StoreReply = { id: number; result: unknown } | { id: number; error: Failure }

/** The files on the disk are no longer those that are open; see `LossHandling.onLost`. */
export interface StoreLost {
  /** Path of the database. */
  database: string
  lost: Failure
  isOver: boolean
}

/** A database file that the thread opens. */
export interface StoreFile {
  path: string
  /** Nonce of the owner record, which has to exist next to the database. */
  ownerNonce?: string | undefined
}
