import type { BoardSessionStore } from '../../board-session-store.js'
import type { CardStore } from '../../card-store.js'
import type { RunStore } from '../../run-store.js'
import { BoundedWork } from '../thread/bounded-work.js'
import { type Asked, askedBy } from '../thread/tasks.js'
import { WorkerCalls, type WorkerOptions } from '../thread/worker-calls.js'
import type { BoardFiles, BoardStores, BoardStoresOpened } from './board-stores.js'

/** The opened files of a board. */
export interface BoardStore {
  cards: CardStore
  runs: RunStore
  sessions: BoardSessionStore
  /** Consistent copies, each to a file that is not there yet. @throws as `Database.copyTo` */
  copies: { cards(path: string): Promise<void>; sessions(path: string): Promise<void> }
  /** Where damaged sessions were put: everybody has to log in again. */
  putAside: string | undefined
  /** Looks whether the open files are still those on the disk. @throws AppError `unavailable/ledger_lost` */
  verify(): Promise<void>
  /** Carries out what it was asked, and lets go of the files. @throws AppError `unavailable/ledger_lost` */
  close(): Promise<void>
}

const CALLS = { underWay: 256, waiting: 2_000, busy: 'Too many requests wait for the board.' }

/**
 * Opens a board's databases in a thread of their own: a disk that takes its time delays nothing but the board.
 *
 * @throws AppError as `openBoardDatabase` and `openSessionDatabase`
 */
export async function openBoardStore(
  files: BoardFiles,
  options: Pick<WorkerOptions, 'onFailure' | 'onLost'>,
): Promise<BoardStore> {
  const file = new URL('./worker.js', import.meta.url)
  const { calls, opened } = await WorkerCalls.start<BoardStoresOpened>(file, { data: files, noun: 'board', ...options })
  const bounded = new BoundedWork(CALLS)
  const asked = <Name extends keyof BoardStores>(store: Name): Asked<BoardStores[Name]> =>
    askedBy<BoardStores[Name]>(opened.tasks[store], (task, args) =>
      bounded.run(() => calls.ask(id => ({ id, store, task, args }))),
    )
  return {
    ...{ cards: asked('cards'), runs: asked('runs'), copies: asked('copies'), putAside: opened.putAside },
    sessions: { ...asked('sessions'), salt: opened.salt },
    verify: asked('databases').verify,
    close: () => calls.close(id => ({ id, close: true })),
  }
}
