import { AppError } from '../model/app-error.js'
import type { LedgerMigration } from '../model/ledger-migration.js'
import type { LocalSettings } from '../settings/local-settings.js'
import { wallClock } from './open-ledger.js'

interface MigrationOptions {
  months: number
  grantTo?: string | undefined
  isRestored?: boolean
}

/**
 * Creates or upgrades the tables of a ledger in PostgreSQL, with a role that has the right to do so.
 *
 * @throws AppError `configuration/ledger_is_a_file`; as `prepareLedger`
 */
export async function migrateLedger({ database }: LocalSettings, options: MigrationOptions): Promise<LedgerMigration> {
  if (!database.postgres) {
    throw new AppError('configuration', 'ledger_is_a_file', `The ledger ${database.path} is a file.`, {
      hint: 'A file is upgraded when it is opened. Set EVENT_DB to a database in PostgreSQL.',
    })
  }
  const { prepareLedger } = await import('../store/postgres/upgrade/prepare-ledger.js')
  const { from, to, partitions, epoch } = await prepareLedger(database.postgres, { now: wallClock(), ...options })
  const granted_to = options.grantTo ?? null
  return { database: database.path, from_version: from, schema_version: to, partitions, granted_to, epoch }
}
