import { stat } from 'node:fs/promises'
import { AppError } from '../model/app-error.js'
import type { DatabaseSetting } from '../settings/database-setting.js'
import { reachOwner, type Ways } from './reach-owner.js'

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
  if (!mayBeNew && !(await isThere(database))) {
    throw new AppError('not_found', 'ledger_missing', `There is no ledger at ${database.path}.`, {
      hint: '`daybook serve` makes one; --db names another.',
    })
  }
  return reachOwner(database.path, ways)
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
