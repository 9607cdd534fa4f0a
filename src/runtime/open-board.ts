import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../model/app-error.js'
import type { BoardSettings } from '../settings/board/board-settings.js'
import type { BoardClosed } from '../store/board-rows.js'
import type { BoardStore } from '../store/board-store.js'
import { openBoardStore, type SqliteBoardStore } from '../store/sqlite/board/board-store.js'
import { acquireOwnership, type Ownership } from '../store/sqlite/owner/database-lock.js'
import type { OwnerRole } from '../store/sqlite/owner/owner-record.js'
import { socketPath } from '../store/sqlite/owner/socket-path.js'
import type { StoreFile } from '../store/sqlite/thread/protocol.js'
import { deferredFailure, OWNER_WAIT_MS, ownershipLost } from './ownership.js'

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

interface OpenBoardFiles {
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

/** Receives problems with the files that are not failures. */
export interface BoardLog {
  warn(facts: object, text: string): void
  error(facts: object, text: string): void
}

interface BoardOpening {
  role?: OwnerRole
  /** Also open a board that was moved, or whose copy is not complete. */
  mayBeClosed?: boolean
}

/**
 * Opens a board. Files: takes ownership of them first; the owner of the cards' file listens at its socket.
 *
 * @throws AppError `conflict/ledger_owned` while another process owns them, `configuration/continued_elsewhere`,
 *   `configuration/import_incomplete`, `unavailable/store_…`, `configuration/…`
 */
export async function openBoard(
  settings: Pick<BoardSettings, 'home' | 'postgres'>,
  logger: BoardLog,
  { role = 'server', mayBeClosed = false }: BoardOpening = {},
): Promise<OpenBoard> {
  const opened = await openStore(settings, logger, role)
  try {
    const closed = mayBeClosed ? undefined : await opened.store.rows.findClosed()
    if (closed) throw boardClosed(opened.database, closed)
    return opened
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function openStore(
  { home, postgres }: Pick<BoardSettings, 'home' | 'postgres'>,
  logger: BoardLog,
  role: OwnerRole,
): Promise<OpenBoard> {
  if (postgres) {
    // Loaded only for those who use it.
    const { openPostgresBoard } = await import('./open-postgres-board.js')
    return openPostgresBoard(postgres)
  }
  const failure = deferredFailure()
  const files = boardFiles(home)
  const socket = await socketPath(files.cards, tmpdir())
  const undo: (() => unknown)[] = []
  const close = async () => {
    const failures: unknown[] = []
    // If closing one file fails, the other one is still closed.
    for (const step of undo.splice(0).reverse()) await runStep(step).catch(error => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }
  const report = (problem: unknown) =>
    logger.error({ err: problem }, 'an open file of the board is not the file on disk')
  let store: SqliteBoardStore | undefined
  const own = async (database: string, socket?: string): Promise<Ownership> => {
    const ownership = await acquireOwnership({
      database,
      role,
      ...(socket === undefined ? {} : { socket }),
      waitMs: OWNER_WAIT_MS,
      now: Date.now,
      random: Math.random,
      onLost: successor => {
        const error = ownershipLost(database, successor)
        // The store also checks its files. If they are gone, it first saves their content.
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

function boardClosed(database: string, { state, place }: BoardClosed): AppError {
  if (state === 'moved') {
    return new AppError('configuration', 'continued_elsewhere', `The board ${database} was moved to ${place}.`, {
      hint: 'Set BOARD_DB or BOARD_HOME to the new place. If the move was interrupted, repeat `daybook board copy`.',
    })
  }
  const detail = `The copy of ${place} into the board ${database} is not complete.`
  return new AppError('configuration', 'import_incomplete', detail, { hint: 'Repeat `daybook board copy`.' })
}
