import { AppError } from '../../../model/app-error.js'
import { type PostgresAddress, shownAddress } from '../../../model/postgres-address.js'
import type { Micros } from '../../../model/timestamp.js'
import { Connection, quoted } from '../connection/connection.js'
import { LEDGER_MIGRATIONS } from './ledger-migrations.js'
import { hasTables, migrate } from './migrate.js'
import { makePartitions } from './partitions.js'

/** Consumers and followers have read events that a restored ledger may not have; a login may have ended since. */
const BEGIN_AGAIN = /* sql */ `
  WITH ended AS (DELETE FROM sessions)
  UPDATE meta SET value = gen_random_uuid() WHERE name IN ('epoch', 'change_numbering') RETURNING name, value`
const HAS_ROLE = /* sql */ `SELECT 1 AS found FROM pg_roles WHERE rolname = $1`

export const LEDGER_TABLES = { noun: 'ledger', ownTable: 'ledger_clock' }

interface Preparation {
  now: Micros
  /** Number of coming months that get a partition. */
  months: number
  /** A role that receives the right to use the tables, but not to change their definitions. */
  grantTo?: string | undefined
  /** The database was restored from a backup. */
  isRestored?: boolean
}

interface PreparedLedger {
  /** Schema versions; 0 for a new ledger. */
  from: number
  to: number
  /** Names of new partitions. */
  partitions: string[]
  /** The new one of a restored ledger; null for another one. */
  epoch: string | null
}

/**
 * Creates or upgrades the tables, makes partitions, and grants another role the rights that a server needs: all the
 * work that takes the rights of the owner.
 *
 * @throws AppError `invalid/role_unknown`, `not_found/ledger_missing`, `configuration/store_newer`, `unavailable/store_…`
 */
export async function prepareLedger(
  address: PostgresAddress,
  { now, months, grantTo, isRestored }: Preparation,
): Promise<PreparedLedger> {
  const { schema } = address
  const connection = await Connection.open(address, 'daybook migration')
  try {
    if (grantTo !== undefined && (await connection.run(HAS_ROLE, grantTo)).length === 0) throw unknownRole(grantTo)
    if (isRestored && !(await hasPostgresLedger(address))) throw notRestored(address)
    const versions = await migrate(address, { ...LEDGER_TABLES, steps: LEDGER_MIGRATIONS })
    const partitions = await makePartitions(connection, { now, schema, months })
    if (grantTo !== undefined) await connection.script(grantSql(quoted(schema), quoted(grantTo)))
    const begun = isRestored ? await connection.run(BEGIN_AGAIN) : []
    const epoch = begun.find(({ name }) => name === 'epoch')?.value
    return { ...versions, partitions, epoch: epoch === undefined ? null : String(epoch) }
  } finally {
    await connection.close()
  }
}

/** Whether the schema has a ledger. @throws AppError `unavailable/store_…` */
export function hasPostgresLedger(address: PostgresAddress): Promise<boolean> {
  return hasTables(address, LEDGER_TABLES)
}

/** Also covers tables that a later upgrade creates, if this role runs it. */
function grantSql(schema: string, role: string): string {
  const rights = 'SELECT, INSERT, UPDATE, DELETE'
  return [
    `GRANT USAGE ON SCHEMA ${schema} TO ${role}`,
    `GRANT ${rights} ON ALL TABLES IN SCHEMA ${schema} TO ${role}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT ${rights} ON TABLES TO ${role}`,
  ].join('; ')
}

function notRestored(address: PostgresAddress): AppError {
  return new AppError('not_found', 'ledger_missing', `There is no ledger at ${shownAddress(address)}.`, {
    hint: 'Restore the backup first, or correct the database and the schema.',
  })
}

function unknownRole(role: string): AppError {
  return new AppError('invalid', 'role_unknown', `The database server has no role "${role}".`, {
    hint: 'Create it with `createuser`, or correct the name.',
  })
}
