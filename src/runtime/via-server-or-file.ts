import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../model/app-error.js'
import type { DatabaseSetting } from '../settings/database-setting.js'
import { toFileError } from '../store/sqlite/files/file-error.js'
import { type OwnerRecord, readOwner } from '../store/sqlite/owner/owner-record.js'
import { answersAt } from '../store/sqlite/owner/socket-path.js'

/** What to do with a database on this machine, depending on whether a server has it open. */
interface ServerOrFile<Result> {
  /** Called if a server has the files open and listens at this socket. */
  server: (owner: OwnerRecord, socketPath: string) => Promise<Result>
  /** Called if no server has the files open. */
  file: () => Promise<Result>
}

/** How long to wait for a server that starts or stops, and how often to try. */
const WAIT_MS = 10_000
const POLL_MS = 50
/**
 * Temporary failures: a server owns its files shortly before and after it answers, and may be killed within an answer.
 */
const PASSING = { server: ['server_unreachable', 'connection_lost'], file: ['ledger_owned'] }

/**
 * Works on a database: through the server that has it open, else through its file.
 *
 * @param database any spelling of its path
 * @throws AppError `unavailable/server_timeout` if a server has it open and does not answer; as `toFileError`; else as
 *   `server` or `file`
 */
export async function viaServerOrFile<Result>(database: string, via: ServerOrFile<Result>): Promise<Result> {
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    const owner = await readOwner(database)
    const socket =
      owner?.role === 'server' && owner.socket && (await answersAt(owner.socket)) ? owner.socket : undefined
    try {
      return owner && socket ? await via.server(owner, socket) : await via.file()
    } catch (error) {
      if (owner && error instanceof AppError && error.code === 'server_timeout') throw unresponsive(owner, error)
      const passing = socket ? PASSING.server : PASSING.file
      if (!(error instanceof AppError) || !passing.includes(error.code) || performance.now() >= deadline) throw error
    }
    await sleep(POLL_MS)
  }
}

/**
 * Like `viaServerOrFile`, for a ledger.
 *
 * @param options `mayBeNew`: create the ledger if there is none
 * @throws AppError `not_found/ledger_missing`; as `viaServerOrFile`
 */
export async function ledgerViaServerOrFile<Result>(
  database: DatabaseSetting,
  via: ServerOrFile<Result>,
  { mayBeNew = false }: { mayBeNew?: boolean } = {},
): Promise<Result> {
  if (!mayBeNew) await requireLedger(database)
  // Several processes may have the database open, so this process needs no server.
  if (database.postgres) return via.file()
  return viaServerOrFile(database.path, via)
}

/** Refuses a missing ledger. @throws AppError `not_found/ledger_missing`, `unavailable/store_…`; as `toFileError` */
async function requireLedger(database: DatabaseSetting): Promise<void> {
  if (await hasLedger(database)) return
  const other = database.isDefault ? '; --db names another' : '. Check the path'
  throw new AppError('not_found', 'ledger_missing', `There is no ledger at ${database.path}.`, {
    hint: `\`daybook serve\` makes one${database.postgres ? '. Check the database and the schema' : other}.`,
  })
}

/** A ledger of the older layout counts as existing: opening the default path upgrades it. */
async function hasLedger({ path, postgres, isDefault, legacyPath }: DatabaseSetting): Promise<boolean> {
  if (postgres) {
    // Loaded only for those who use it.
    const { hasPostgresLedger } = await import('../store/postgres/upgrade/prepare-ledger.js')
    return hasPostgresLedger(postgres)
  }
  return (await sizeOf(path)) > 0 || (isDefault && (await sizeOf(legacyPath)) > 0)
}

/**
 * The size of a database together with its WAL, in bytes; 0 if there is none.
 *
 * @throws AppError as `toFileError`
 */
export async function sizeOf(database: string): Promise<number> {
  const sizes = await Promise.all([database, `${database}-wal`].map(bytesOf)).catch(error => {
    throw toFileError(error, database)
  })
  return sizes.reduce((total, size) => total + size, 0)
}

/** The size of a file; 0 if there is none. */
export function bytesOf(path: string): Promise<number> {
  return stat(path).then(file => file.size, noFile)
}

function noFile(error: NodeJS.ErrnoException): number {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return 0
  throw error
}

function unresponsive({ pid }: OwnerRecord, cause: AppError): AppError {
  return new AppError('unavailable', 'server_timeout', cause.message, {
    hint: `The server is process ${pid}: if it is suspended, \`kill -CONT ${pid}\` resumes it; if it hangs, restart it.`,
    cause,
  })
}
