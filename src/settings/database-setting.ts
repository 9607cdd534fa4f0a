import { join } from 'node:path'
import { DEFAULT_SCHEMA, isPostgresUrl, type PostgresAddress, shownAddress } from '../model/postgres-address.js'
import { readPostgres } from './postgres-setting.js'
import type { FoundSetting, GivenFlag, SettingReader } from './reading/setting-reader.js'

/** The ledger database to use. */
export interface DatabaseSetting {
  /** Absolute path of the file. For PostgreSQL, the address without its password. */
  path: string
  /** Absent if the ledger is a file. */
  postgres?: PostgresAddress
  /** A read replica of that database. */
  replica?: PostgresAddress
  /** No setting names the file. Only then is an older ledger at `legacyPath` copied to it on first use. */
  isDefault: boolean
  /** The ledger's place in the older layout. */
  legacyPath: string
}

/** Never the path of a file, but perhaps an address with a password, which no message may show. */
const NO_PATH = /:\/\/|^file:|^:memory:|\bpassword\s*=/i

/**
 * The database path: `--db`, `EVENT_DB`, `<home_dir of the shared environment>/event/events.db`,
 * `$ARCH_HOME/event/events.db`, `~/.arch/event/events.db`; or the address of a PostgreSQL database.
 *
 * Source: Event Ledger Service, "Storage".
 */
export function readDatabase(reader: SettingReader, home: string, given: GivenFlag): DatabaseSetting {
  const legacyPath = join(home, 'events.db')
  const found = reader.find('EVENT_DB', given)
  const isPostgres = found !== undefined && isPostgresUrl(found.value)
  const postgres = readPostgres(reader, isPostgres ? found : undefined, { setting: 'EVENT_DB', schema: DEFAULT_SCHEMA })
  const read = reader.find('EVENT_DB_READ')
  const replica = read && found?.name === 'EVENT_DB' ? readReplica(reader, postgres, read) : {}
  if (!found) return { path: join(home, 'event', 'events.db'), isDefault: true, legacyPath }
  if (postgres) return { path: shownAddress(postgres), postgres, ...replica, isDefault: false, legacyPath }
  if (isPostgres) return { path: '', isDefault: false, legacyPath }
  if (found.value === '') {
    reader.refuse(found.name, `${found.name} is empty. Name the path of a file.`)
  } else if (NO_PATH.test(found.value)) {
    reader.refuse(
      found.name,
      `${found.name} is neither the path of a file nor an address that begins with postgres://, without a blank or a quote before it.`,
    )
  }
  return { path: reader.path(found.value), isDefault: false, legacyPath }
}

/** `EVENT_DB_READ`: a standby of the database that `EVENT_DB` names. Its tables are in the same schema. */
function readReplica(
  reader: SettingReader,
  primary: PostgresAddress | undefined,
  found: FoundSetting,
): { replica?: PostgresAddress } {
  if (!isPostgresUrl(found.value)) {
    reader.refuse(found.name, `${found.name} is not an address that begins with postgres://.`)
    return {}
  }
  if (!primary) {
    reader.refuse(found.name, `${found.name} names a replica, and EVENT_DB no database in PostgreSQL.`)
    return {}
  }
  const replica = readPostgres(reader, found, { setting: 'EVENT_DB', schema: primary.schema })
  return replica ? { replica } : {}
}
