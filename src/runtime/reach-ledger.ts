import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../model/app-error.js'
import type { DatabaseSetting } from '../settings/database-setting.js'
import { type OwnerRecord, readOwner } from '../store/sqlite/owner-record.js'
import { answersAt } from '../store/sqlite/socket-path.js'

/** The two ways to a ledger on this machine. */
export interface Ways<Result> {
  /** A server has it open, and listens at this socket. */
  throughServer: (owner: OwnerRecord, socketPath: string) => Promise<Result>
  /** Nobody has it open. */
  throughFile: () => Promise<Result>
}

/** How long a server may take to answer that has just begun or is about to end, and how often it is looked for. */
const WAIT_MS = 10_000
const POLL_MS = 50
/** A server owns its ledger a moment before it answers and a moment after, and may be killed in the middle of an answer. */
const PASSING = { server: ['server_unreachable', 'connection_lost'], file: ['ledger_owned'] }

/**
 * Works on a ledger: through the server that has it open, else through its file.
 *
 * @param options `mayBeNew`: where there is no ledger, the file is opened all the same, which makes one
 * @throws AppError `not_found/ledger_missing`; as the way that was taken
 */
export async function reachLedger<Result>(
  database: DatabaseSetting,
  ways: Ways<Result>,
  { mayBeNew = false }: { mayBeNew?: boolean } = {},
): Promise<Result> {
  const { path } = database
  if (!mayBeNew && !(await isThere(database))) {
    throw new AppError('not_found', 'ledger_missing', `There is no ledger at ${path}.`, {
      hint: '`daybook serve` makes one; --db names another.',
    })
  }
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    const owner = await readOwner(path)
    const socket =
      owner?.role === 'server' && owner.socket && (await answersAt(owner.socket)) ? owner.socket : undefined
    try {
      return owner && socket ? await ways.throughServer(owner, socket) : await ways.throughFile()
    } catch (error) {
      const passing = socket ? PASSING.server : PASSING.file
      if (!(error instanceof AppError) || !passing.includes(error.code) || performance.now() >= deadline) throw error
    }
    await sleep(POLL_MS)
  }
}

/** A ledger of the older layout is one as well: opening the default path brings it forward. */
async function isThere({ path, isDefault, legacyPath }: DatabaseSetting): Promise<boolean> {
  return (await sizeOf(path)) > 0 || (isDefault && (await sizeOf(legacyPath)) > 0)
}

/** The size of a database and its journal together, in bytes; 0 where there is none. */
export async function sizeOf(database: string): Promise<number> {
  const sizes = await Promise.all([database, `${database}-wal`].map(path => stat(path).then(file => file.size, noFile)))
  return sizes.reduce((total, size) => total + size, 0)
}

function noFile(error: NodeJS.ErrnoException): number {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return 0
  throw error
}
