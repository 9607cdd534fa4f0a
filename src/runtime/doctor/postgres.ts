import { type Finding, failing, ok, warning } from '../../model/diagnosis.js'
import { type PostgresAddress, shownAddress } from '../../model/postgres-address.js'
import type { Micros } from '../../model/timestamp.js'
import { type Access, Connection } from '../../store/postgres/connection/connection.js'
import { IS_STANDBY } from '../../store/postgres/read/read-replica.js'
import { SCHEMA_VERSION } from '../../store/postgres/upgrade/ledger-migrations.js'
import { findMissing } from '../../store/postgres/upgrade/partitions.js'
import { readStoredSubscription } from '../../store/rows/stored-subscription.js'
import { judgeWatches } from './watches.js'

const FACTS = /* sql */ `
  SELECT current_setting('server_version') AS version, current_setting('synchronous_commit') AS commits,
    to_regclass(quote_ident($1) || '.ledger_clock') IS NOT NULL AS has_ledger`
const VERSION = /* sql */ `SELECT version FROM schema_version`
const WATCHES = /* sql */ `SELECT id, owner_user_id, body FROM subscriptions ORDER BY id`
const EPOCH = /* sql */ `SELECT value FROM meta WHERE name = 'epoch'`
const STATE = /* sql */ `SELECT state FROM ledger_clock`
const MIGRATE = 'Run `daybook ledger migrate` as the role that owns the tables.'

/**
 * Whether the database of a ledger accepts a login, and how it is set up.
 *
 * @throws AppError as `Connection.open`; `unavailable/store_forbidden` for a role that may not use the schema
 */
export async function checkPostgresLedger(address: PostgresAddress, now: Micros): Promise<Finding[]> {
  const connection = await Connection.open(address, 'daybook doctor')
  try {
    const [facts] = await connection.run(FACTS, address.schema)
    const name = shownAddress(address)
    const found = [
      ok(
        `The database ${name} accepts the login (PostgreSQL ${facts?.version}). The check of the server shows whether it records events.`,
      ),
    ]
    if (facts?.commits === 'off') {
      const detail = 'synchronous_commit is off: events that were acknowledged are lost if the database server crashes.'
      found.push(warning(detail, 'Set it to on for the role or the database.'))
    }
    if (facts?.has_ledger !== true) {
      return [
        ...found,
        warning(`There is no ledger in the schema "${address.schema}" yet.`, `Start a server. ${MIGRATE}`),
      ]
    }
    return [...found, ...(await checkTables(connection, { now, schema: address.schema }))]
  } finally {
    await connection.close()
  }
}

/** Whether the standby of a ledger can be read. @throws AppError as `Connection.open` */
export async function checkReplica(replica: PostgresAddress, primary: PostgresAddress): Promise<Finding[]> {
  const ledger = await readEpoch(primary, 'write')
  const { epoch, isStandby } = await readEpoch(replica, 'read')
  const name = shownAddress(replica)
  const advice = 'Correct EVENT_DB_READ: reads use the primary until then.'
  if (!isStandby) return [warning(`The database ${name} is not a standby.`, advice)]
  if (epoch !== ledger.epoch) return [warning(`The standby ${name} has another ledger, or none.`, advice)]
  return [ok(`The standby ${name} can be read.`)]
}

async function readEpoch(address: PostgresAddress, access: Access): Promise<{ epoch: unknown; isStandby: boolean }> {
  const connection = await Connection.open(address, 'daybook doctor', access)
  try {
    const [standby] = await connection.run(IS_STANDBY)
    const [facts] = await connection.run(FACTS, address.schema)
    const [meta] = facts?.has_ledger === true ? await connection.run(EPOCH) : []
    return { epoch: meta?.value, isStandby: standby?.found === true }
  } finally {
    await connection.close()
  }
}

async function checkTables(
  connection: Connection,
  { now, schema }: { now: Micros; schema: string },
): Promise<Finding[]> {
  const version = Number((await connection.run(VERSION))[0]?.version)
  if (version < SCHEMA_VERSION) {
    const detail = `The tables have schema ${version}, and this release upgrades them to ${SCHEMA_VERSION}.`
    return [warning(detail, `A server does it when it starts. If its role may not: ${MIGRATE}`)]
  }
  if (version > SCHEMA_VERSION) {
    const detail = `The tables have schema ${version}; this release knows ${SCHEMA_VERSION}.`
    return [failing('configuration', detail, 'Use the newer release that upgraded them.')]
  }
  if ((await connection.run(STATE))[0]?.state === 'moved') {
    return [failing('configuration', 'This ledger was moved to another place.', '`daybook ledger status` shows where.')]
  }
  const missing = await findMissing(connection, { now, schema, months: 1 })
  if (missing.length === 0) return []
  const detail = `There is no partition ${missing.map(({ name }) => name).join(', ')}: its events go to events_other.`
  return [warning(detail, MIGRATE)]
}

/**
 * Whether the watches of a ledger that are polled are captured, by any of its servers.
 *
 * @throws AppError as `Connection.open`
 */
export async function checkPostgresWatches(address: PostgresAddress, now: Micros): Promise<Finding[]> {
  const connection = await Connection.open(address, 'daybook doctor')
  try {
    const [facts] = await connection.run(FACTS, address.schema)
    if (facts?.has_ledger !== true) return []
    return judgeWatches((await connection.run(WATCHES)).map(readStoredSubscription), now)
  } finally {
    await connection.close()
  }
}

/**
 * Whether the database of a board accepts a login.
 *
 * @throws AppError as `Connection.open`
 */
export async function checkPostgresBoard(address: PostgresAddress): Promise<Finding[]> {
  const connection = await Connection.open(address, 'daybook doctor')
  await connection.close()
  const proves = 'GET /readyz of the board shows whether it can be written.'
  return [ok(`The database ${shownAddress(address)} accepts the login. ${proves}`)]
}
