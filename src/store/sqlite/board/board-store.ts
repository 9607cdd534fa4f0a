import type { BoardDatabaseName } from '../../../model/board/board-backup.js'
import type { BoardStore } from '../../board-store.js'
import { BoundedWork } from '../../bounded-work.js'
import { reuseRecent } from '../../reuse-recent.js'
import { removeCopy } from '../files/remove-copy.js'
import { makeProxies } from '../thread/task.js'
import { WorkerCalls, type WorkerOptions } from '../thread/worker-calls.js'
import type { Upgrade } from '../upgrade/migrate.js'
import type { BoardFiles, BoardOpened, BoardTasks } from './board-files.js'

/** The opened files of a board. */
export interface SqliteBoardStore extends BoardStore {
  /** Make consistent copies, each as a new file. @throws as `Database.copyTo` */
  copies: Readonly<Record<BoardDatabaseName, (path: string, signal?: AbortSignal) => Promise<void>>>
  /** Where damaged sessions were moved: all users have to log in again. */
  putAside: string | undefined
  /** Upgrade of cards that an older release had written. */
  upgrade: Upgrade | undefined
  /** Checks that the open files are still those on the disk. @throws AppError `unavailable/ledger_lost` */
  verify(): Promise<void>
}

const CALLS = { inProgress: 256, waiting: 2_000, busy: 'Too many requests wait for the board.' }

/**
 * Opens the databases of a board in a separate thread, so that a slow disk delays only the board.
 *
 * @throws AppError as `openBoardDatabase` and `openSessionDatabase`
 */
export async function openBoardStore(
  files: BoardFiles,
  options: Pick<WorkerOptions, 'onFailure' | 'onLost'>,
): Promise<SqliteBoardStore> {
  const file = new URL('./worker.js', import.meta.url)
  const { calls, opened } = await WorkerCalls.start<BoardOpened>(file, { data: files, noun: 'board', ...options })
  const bounded = new BoundedWork(CALLS)
  const stores = makeProxies<BoardTasks>(opened.kinds, call => bounded.run(() => calls.ask(call)))
  let numbered = 0
  const copyOf = (of: BoardDatabaseName) => async (path: string, signal?: AbortSignal) => {
    signal?.throwIfAborted()
    const number = numbered++
    const stop = () => void stores.copies.stop(number).catch(() => undefined) // a closed store makes no copy
    signal?.addEventListener('abort', stop)
    try {
      await stores.copies.make(of, path, number)
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    } finally {
      signal?.removeEventListener('abort', stop)
    }
    // The thread may have finished the copy before it was asked to stop.
    if (signal?.aborted) await removeCopy(path)
    signal?.throwIfAborted()
  }
  return {
    cards: stores.cards,
    runs: stores.runs,
    history: stores.history,
    rows: stores.rows,
    copies: { cards: copyOf('cards'), sessions: copyOf('sessions') },
    putAside: opened.putAside,
    upgrade: opened.upgrade,
    sessions: { ...stores.sessions, salt: opened.salt },
    checkWritable: reuseRecent(stores.files.checkWritable),
    verify: stores.files.verify,
    close: () => calls.close(),
  }
}
