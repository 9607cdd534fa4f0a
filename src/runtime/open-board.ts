import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { BoardSettings } from '../settings/board/board-settings.js'
import type { BoardStore } from '../store/board-store.js'
import { openBoardStore, type SqliteBoardStore } from '../store/sqlite/board/board-store.js'
import { acquireOwnership, type Ownership } from '../store/sqlite/owner/owner.js'
import { socketPath } from '../store/sqlite/owner/socket-path.js'
import type { StoreFile } from '../store/sqlite/thread/protocol.js'
import { deferredFailure, OWNER_WAIT_MS, ownershipLost } from './lost-ownership.js'

/** An open board: in files that this process owns, or in a database that it shares with others. */
export interface OpenBoard {
  store: BoardStore
  /** Folder of its files, or the address without its password. */
  database: string
  engine: 'sqlite' | 'postgres'
  /** Absent for a board in PostgreSQL. */
  file?: OpenBoardFiles
  /** Rejects when the files are no longer ours. */
  failed: Promise<never>
  close(): Promise<void>
}

export interface OpenBoardFiles {
  store: SqliteBoardStore
  /** Where its server listens for local callers. */
  socket: string
  /** The owner of the cards' file. */
  cardsOwner: Ownership
}

/** The files in a board's home folder. */
export function boardFiles(home: string): { cards: string; sessions: string; backends: string } {
  return {
    cards: join(home, 'board.sqlite3'),
    sessions: join(home, 'sessions.sqlite3'),
    backends: join(home, 'backends.json'),
  }
}

/**
 * Opens a board. Files: takes ownership of them first; the owner of the cards' file listens at its socket.
 *
 * @throws AppError `conflict/ledger_owned` while another process owns them, `unavailable/store_…`, `configuration/…`
 */
export async function openBoard(
  { home, postgres }: Pick<BoardSettings, 'home' | 'postgres'>,
  logger: Logger,
): Promise<OpenBoard> {
  if (postgres) {
    // Loaded only for those who use it.
    const { openSharedBoard } = await import('./open-shared-board.js')
    return openSharedBoard(postgres)
  }
  const failure = deferredFailure()
  const files = boardFiles(home)
  const socket = await socketPath(files.cards, tmpdir())
  const undo: (() => unknown)[] = []
  const close = async () => {
    const failures: unknown[] = []
    // A failure with one file must not keep the other open.
    for (const step of undo.splice(0).reverse()) await runStep(step).catch(error => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }
  const report = (problem: unknown) =>
    logger.error({ err: problem }, 'an open file of the board is not the file on disk')
  let store: SqliteBoardStore | undefined
  const own = async (database: string, socket?: string): Promise<Ownership> => {
    const ownership = await acquireOwnership({
      database,
      role: 'server',
      ...(socket === undefined ? {} : { socket }),
      waitMs: OWNER_WAIT_MS,
      now: Date.now,
      random: Math.random,
      onLost: successor => {
        const error = ownershipLost(database, successor)
        // The store also checks its files. If they are gone, it first saves what they held.
        if (store === undefined) failure.reject(error)
        else store.verify().then(() => failure.reject(error), report)
      },
    })
    if (ownership.warning) logger.warn({ database: ownership.database }, ownership.warning)
    undo.push(() => ownership.release())
    return ownership
  }
  try {
    const cardsOwner = await own(files.cards, socket)
    const sessionsOwner = await own(files.sessions)
    const owners = [cardsOwner, sessionsOwner]
    let noted: Promise<unknown> = Promise.resolve()
    store = await openBoardStore(
      { cards: fileOf(cardsOwner), sessions: fileOf(sessionsOwner) },
      {
        onFailure: error => void noted.then(() => failure.reject(error)),
        onLost: (error, database) => {
          report(error)
          noted = Promise.all(owners.filter(owner => owner.database === database).map(owner => owner.noteLoss()))
          noted = noted.catch(report)
        },
      },
    )
    const opened = store
    undo.push(() => opened.close())
    for (const owner of owners) await owner.noteFiles()
    const kept = store.putAside
    if (kept !== undefined) logger.error({ kept }, 'the session database was damaged: all users have to log in again')
    const file = { store, socket, cardsOwner }
    return { store, database: home, engine: 'sqlite', file, failed: failure.promise, close }
  } catch (error) {
    await close()
    throw error
  }
}

function fileOf({ database, record }: Ownership): StoreFile {
  return { path: database, ownerNonce: record.nonce }
}

async function runStep(step: () => unknown): Promise<void> {
  await step()
}
