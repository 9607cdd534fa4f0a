import { AppError } from '../../../model/app-error.js'
import type { Database } from '../files/database.js'

/** One step from a version of a schema to the next, inside a transaction. The first one makes the table `meta`. */
export type Migration = (database: Database) => void

/**
 * Upgrades a database to the newest schema, with one transaction for each step.
 *
 * @param steps append-only: entry n upgrades it from version n to version n + 1
 * @throws AppError `configuration/store_newer` for a database that a newer release has written
 */
export function migrate(database: Database, noun: string, steps: readonly Migration[]): void {
  const version = versionOf(database)
  if (version > steps.length) {
    throw new AppError(
      'configuration',
      'store_newer',
      `The ${noun} database has schema ${version}; this release knows ${steps.length}.`,
      { hint: 'Use the newer release that wrote it.' },
    )
  }
  for (const [index, step] of steps.entries()) {
    if (index < version) continue
    database.transaction(() => {
      step(database)
      database.exec(`PRAGMA user_version = ${index + 1}`)
    })
  }
}

/** Every version of ours has the table `meta`; an older program may have used `user_version` for its own versions. */
function versionOf(database: Database): number {
  const ours = database.first(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'meta'`)
  return ours ? Number(database.first('PRAGMA user_version')?.user_version ?? 0) : 0
}
