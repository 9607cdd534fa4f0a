import { AppError } from '../../../model/app-error.js'
import type { Database } from '../files/database.js'
import { copyBeforeUpgrade } from './upgrade-copy.js'

/** One step from a version of a schema to the next, inside a transaction. The first one makes the table `meta`. */
export type Migration = (database: Database) => void

interface MigrationPlan {
  /** In messages: "The <noun> database …". */
  noun: string
  /** Append-only: entry n upgrades it from version n to version n + 1. */
  steps: readonly Migration[]
  /** Advice for the operator if there is no room for a copy of the database; absent: no copy is made. */
  copyAdvice?: string | undefined
}

/** The upgrade of a database of an older release. */
export interface Upgrade {
  /** Versions of its schema. */
  from: number
  to: number
  /** Path of the copy from before; absent if none was made. */
  copy?: string
}

/**
 * Upgrades a database to the newest schema: completely, in one transaction, or not at all. A database of an older release is
 * copied first.
 *
 * @returns undefined for a new database, and for one that has the newest schema
 * @throws AppError `configuration/store_newer` for a database that a newer release has written; as `copyBeforeUpgrade`
 */
export function migrate(database: Database, { noun, steps, copyAdvice }: MigrationPlan): Upgrade | undefined {
  const version = versionOf(database)
  if (version > steps.length) {
    throw new AppError(
      'configuration',
      'store_newer',
      `The ${noun} database has schema ${version}; this release knows ${steps.length}.`,
      { hint: 'Use the newer release that wrote it.' },
    )
  }
  if (version === steps.length) return undefined
  const isNew = database.first('SELECT 1 FROM sqlite_schema LIMIT 1') === undefined
  const copy =
    isNew || copyAdvice === undefined ? undefined : copyBeforeUpgrade(database, { noun, version, advice: copyAdvice })
  database.transaction(() => {
    for (const step of steps.slice(version)) step(database)
    database.exec(`PRAGMA user_version = ${steps.length}`)
  })
  return isNew ? undefined : { from: version, to: steps.length, ...(copy === undefined ? {} : { copy }) }
}

/** Every version of ours has the table `meta`; an older program may have used `user_version` for its own versions. */
function versionOf(database: Database): number {
  const ours = database.first(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'meta'`)
  return ours ? Number(database.first('PRAGMA user_version')?.user_version ?? 0) : 0
}
