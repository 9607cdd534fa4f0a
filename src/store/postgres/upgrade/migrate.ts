import { AppError } from '../../../model/app-error.js'
import type { PostgresAddress } from '../../../model/postgres-address.js'
import { type Access, Connection, quoted } from '../connection/connection.js'
import { stateOf } from '../connection/store-error.js'

/** One step from a version of a schema to the next, inside the transaction of the whole upgrade. */
export type Migration = (connection: Connection) => Promise<unknown>

/** Any number that no other program is likely to use. It allows one upgrade at a time in a database. */
const LOCK = 7_162_036_931
/** An upgrade may rewrite tables. */
const UNLIMITED = /* sql */ `SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '60s'`
const TAKE_LOCK = /* sql */ `SELECT pg_advisory_xact_lock($1)`
/** From the catalogues: `to_regclass` may answer as of before the lock was taken. */
const HAS_SCHEMA = /* sql */ `SELECT 1 AS found FROM pg_namespace WHERE nspname = $1`
const HAS_TABLE = /* sql */ `
  SELECT 1 AS found FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = $1 AND relname = $2`
const ENCODING = /* sql */ `SELECT current_setting('server_encoding') AS encoding`
/** SQLSTATE: the schema has a table of another program with this name. */
const DUPLICATE_TABLE = '42P07'
const VERSION_TABLE = 'schema_version'
const CREATE_VERSION = /* sql */ `
  CREATE TABLE schema_version (version integer NOT NULL);
  INSERT INTO schema_version VALUES (0)`
const SET_VERSION = /* sql */ `UPDATE schema_version SET version = $1`

interface Upgrade {
  /** In messages. */
  noun: string
  /** A table that only such a schema has. */
  ownTable: string
  /** Append-only: entry n upgrades the schema from version n to version n + 1. */
  steps: readonly Migration[]
}

/** Versions of the schema before and after; 0 if there was none. */
interface Upgraded {
  from: number
  to: number
}

/**
 * Creates the schema, or upgrades it to the newest version, in one transaction. Servers that start at the same time wait
 * for each other. A schema of the newest version is only read, so that a server needs no right to change it.
 *
 * @throws AppError `configuration/store_newer`, `configuration/store_foreign`, `configuration/store_encoding` for a new
 *   schema, `unavailable/store_forbidden` for a role that may not upgrade it
 */
export async function migrate(address: PostgresAddress, { noun, ownTable, steps }: Upgrade): Promise<Upgraded> {
  const { schema } = address
  const to = steps.length
  const using = async <Result>(access: Access, work: (connection: Connection) => Promise<Result>): Promise<Result> => {
    const connection = await Connection.open(address, `daybook ${noun} upgrade`, access)
    try {
      return await work(connection)
    } finally {
      await connection.close()
    }
  }
  const known = await using('write', async connection => {
    if ((await hasTable(connection, schema, VERSION_TABLE)) && !(await hasTable(connection, schema, ownTable))) {
      throw foreign(noun, schema)
    }
    const version = await versionOf(connection, schema)
    if (version === 0) await refuseOtherEncodings(connection, noun)
    return version
  })
  if (known === to) return { from: to, to }
  return using('upgrade', connection =>
    connection.transaction(async () => {
      await connection.script(UNLIMITED)
      await connection.run(TAKE_LOCK, LOCK)
      const version = await versionOf(connection, schema)
      if (version > to) throw newer(noun, version, to)
      if (version === to) return { from: to, to }
      // The condition is for a role that may use the schema, but not create one: then the schema has to exist.
      if (!(await hasSchema(connection, schema))) await connection.script(`CREATE SCHEMA ${quoted(schema)}`)
      if (!(await hasTable(connection, schema, VERSION_TABLE))) await connection.script(CREATE_VERSION)
      try {
        for (const step of steps.slice(version)) await step(connection)
      } catch (error) {
        throw version === 0 && stateOf(error) === DUPLICATE_TABLE ? foreign(noun, schema) : error
      }
      await connection.run(SET_VERSION, to)
      return { from: version, to }
    }),
  )
}

/** Whether the schema has the tables of a ledger or board. @param ownTable as for an upgrade */
export async function hasTables(
  address: PostgresAddress,
  { noun, ownTable }: Pick<Upgrade, 'noun' | 'ownTable'>,
): Promise<boolean> {
  const connection = await Connection.open(address, `daybook ${noun} check`)
  try {
    return await hasTable(connection, address.schema, ownTable)
  } finally {
    await connection.close()
  }
}

async function versionOf(connection: Connection, schema: string): Promise<number> {
  if (!(await hasTable(connection, schema, VERSION_TABLE))) return 0
  // With the schema's name: for a role without rights in it, the table would otherwise not exist.
  const [row] = await connection.runOnce(`SELECT version FROM ${quoted(schema)}.${VERSION_TABLE}`)
  return Number(row?.version)
}

async function hasTable(connection: Connection, schema: string, table: string): Promise<boolean> {
  return (await connection.run(HAS_TABLE, schema, table)).length > 0
}

async function hasSchema(connection: Connection, schema: string): Promise<boolean> {
  return (await connection.run(HAS_SCHEMA, schema)).length > 0
}

async function refuseOtherEncodings(connection: Connection, noun: string): Promise<void> {
  const [row] = await connection.run(ENCODING)
  if (row?.encoding === 'UTF8') return
  const message = `A ${noun} needs a database with the encoding UTF8, and this one has ${row?.encoding}.`
  throw new AppError('configuration', 'store_encoding', message, {
    hint: 'Create another one: `createdb --template=template0 --encoding=UTF8 --locale=C.UTF-8 <name>`.',
  })
}

function newer(noun: string, version: number, known: number): AppError {
  const message = `The ${noun} database has schema ${version}; this release knows ${known}.`
  return new AppError('configuration', 'store_newer', message, { hint: 'Use the newer release that wrote it.' })
}

function foreign(noun: string, schema: string): AppError {
  const message = `The schema "${schema}" has other tables than those of a ${noun}.`
  return new AppError('configuration', 'store_foreign', message, {
    hint: 'Name another schema in the address, such as ?schema=another.',
  })
}
