import type { DatabaseGuard } from '../files/database.js'
import type { StoreFile } from '../thread/protocol.js'
import type { TaskNames } from '../thread/tasks.js'
import { openBoardDatabase } from './board-database.js'
import { openSessionDatabase } from './session-database.js'

/** A board's databases, which this process owns. */
export interface BoardFiles {
  cards: StoreFile
  sessions: StoreFile
}

/** Everything that the thread of the board's store is asked, by name. */
export type BoardStores = ReturnType<typeof openBoardStores>['stores']

/** What the thread says once the files are open. */
export interface BoardStoresOpened {
  tasks: TaskNames<keyof BoardStores>
  /** Of `BoardSessionStore`. */
  salt: string
  /** Where damaged sessions were put. */
  putAside: string | undefined
}

/**
 * @param guardOf how each of the files is guarded
 * @throws as `openBoardDatabase` and `openSessionDatabase`
 */
export function openBoardStores(files: BoardFiles, guardOf: (file: StoreFile) => DatabaseGuard) {
  const board = openBoardDatabase(files.cards.path, guardOf(files.cards))
  let putAside: string | undefined
  try {
    const onCorrupt = (kept: string) => {
      putAside = kept
    }
    const { sessions, ...sessionDatabase } = openSessionDatabase(files.sessions.path, {
      ...guardOf(files.sessions),
      onCorrupt,
    })
    const copies = { cards: board.copyTo, sessions: sessionDatabase.copyTo }
    const databases = {
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
    const stores = { cards: board.cards, runs: board.runs, sessions, copies, databases }
    return { stores, salt: sessions.salt, putAside, close }
  } catch (error) {
    board.close()
    throw error
  }
}
