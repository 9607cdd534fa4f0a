import type { BoardDatabaseName } from '../../../model/board/board-backup.js'
import type { LossHandling } from '../files/loss-watch.js'
import type { StoreFile } from '../thread/protocol.js'
import { methodTasks, type TaskKinds } from '../thread/task.js'
import type { Upgrade } from '../upgrade/migrate.js'
import { openBoardDatabase } from './board-database.js'
import { openSessionDatabase } from './session-database.js'

/** The databases of a board. This process owns them. */
export interface BoardFiles {
  cards: StoreFile
  sessions: StoreFile
}

/** Every task of the board's thread: the methods of its stores. */
export type BoardTasks = ReturnType<typeof openBoardFiles>['tasks']

/** What the thread reports once the files are open. */
export interface BoardOpened {
  kinds: TaskKinds<BoardTasks>
  /** See `BoardSessionStore`. */
  salt: string
  /** Where damaged sessions were moved. */
  putAside: string | undefined
  /** Upgrade of cards that an older release had written. */
  upgrade: Upgrade | undefined
}

/**
 * @param guardOf returns the loss handling of each file
 * @throws as `openBoardDatabase` and `openSessionDatabase`
 */
export function openBoardFiles(paths: BoardFiles, guardOf: (file: StoreFile) => LossHandling) {
  const board = openBoardDatabase(paths.cards.path, guardOf(paths.cards))
  let putAside: string | undefined
  try {
    const onCorrupt = (kept: string) => {
      putAside = kept
    }
    const { sessions, ...sessionDatabase } = openSessionDatabase(paths.sessions.path, {
      ...guardOf(paths.sessions),
      onCorrupt,
    })
    const databases = { cards: board, sessions: sessionDatabase }
    // A signal cannot be sent to a thread, so the caller numbers its copies.
    const copying = new Map<number, AbortController>()
    const copies = {
      make: (of: BoardDatabaseName, path: string, number: number) => {
        const copy = new AbortController()
        copying.set(number, copy)
        return databases[of].copyTo(path, copy.signal).finally(() => copying.delete(number))
      },
      stop: (number: number) => copying.get(number)?.abort(),
    }
    const files = {
      checkWritable: () => {
        board.checkWritable()
        sessionDatabase.checkWritable()
      },
      verify: () => {
        try {
          board.verify()
        } finally {
          sessionDatabase.verify()
        }
      },
    }
    const close = () => {
      try {
        sessionDatabase.close()
      } finally {
        board.close()
      }
    }
    const tasks = {
      cards: methodTasks(board.cards),
      runs: methodTasks(board.runs),
      history: methodTasks(board.history),
      rows: methodTasks(board.rows),
      sessions: methodTasks(sessions),
      copies: methodTasks(copies),
      files: methodTasks(files),
    }
    return { tasks, salt: sessions.salt, putAside, upgrade: board.upgrade, close }
  } catch (error) {
    board.close()
    throw error
  }
}
