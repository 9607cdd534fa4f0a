import { join } from 'node:path'
import type { GivenFlag, SettingReader } from './reading/setting-reader.js'

/** The ledger database to use. */
export interface DatabaseSetting {
  /** Absolute. */
  path: string
  /** No setting names the file. Only then an older ledger at `legacyPath` is copied to it on first use. */
  isDefault: boolean
  /** The ledger's place in the older layout. */
  legacyPath: string
}

const POSTGRES = /^postgres(?:ql)?:/i
const SCHEME = /^(?:[a-z][a-z0-9+.-]+:\/\/|file:|:memory:)/i

/**
 * The database path: `--db`, `EVENT_DB`, `<home_dir of the shared environment>/event/events.db`,
 * `$ARCH_HOME/event/events.db`, `~/.arch/event/events.db`.
 *
 * Source: Event Ledger Service, "Storage".
 */
export function readDatabase(reader: SettingReader, home: string, given: GivenFlag): DatabaseSetting {
  const legacyPath = join(home, 'events.db')
  const found = reader.find('EVENT_DB', given)
  if (!found) return { path: join(home, 'event', 'events.db'), isDefault: true, legacyPath }
  if (found.value === '') {
    reader.refuse(found.name, `${found.name} is empty. Name the path of a file.`)
  } else if (POSTGRES.test(found.value)) {
    const detail = `${found.name} names a PostgreSQL database, which this release does not support. Name the path of a file.`
    reader.refuse(found.name, detail)
  } else if (SCHEME.test(found.value)) {
    reader.refuseValue(found, 'is not the path of a file')
  }
  return { path: reader.path(found.value), isDefault: false, legacyPath }
}
