import { Database } from '../files/database.js'
import { type OwnFile, refuseOthers } from '../files/foreign-database.js'
import type { LossHandling } from '../files/loss-watch.js'
import { type Migration, migrate, type Upgrade } from '../upgrade/migrate.js'
import { SqliteBoardRows } from './board-rows.js'
import { createHistoryTable, SqliteCardHistory } from './card-history.js'
import { createCardTable, SqliteCardStore } from './card-store.js'
import { checkWritable } from './check-writable.js'
import { createRunTables, SqliteRunStore } from './run-store.js'

/** The opened database of a board. */
export interface BoardDatabase {
  cards: SqliteCardStore
  runs: SqliteRunStore
  history: SqliteCardHistory
  rows: SqliteBoardRows
  /** Upgrade of a board that an older release had written. */
  upgrade: Upgrade | undefined
  /** Makes a consistent copy, as a new file. @throws as `Database.copyTo` */
  copyTo(path: string, signal?: AbortSignal): Promise<void>
  /** Proves that the database can commit. @throws AppError `unavailable/…` */
  checkWritable(): void
  /** Checks that the open files are still those on the disk. @throws AppError `unavailable/ledger_lost` */
  verify(): void
  close(): void
}

const NOUN = 'board'
const BOARD: OwnFile = {
  noun: NOUN,
  ownTables: /* sql */ `
    SELECT 1 FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' AND tables.name = 'cards' AND columns.name = 'board_column'`,
  missing: 'cards',
  hint: 'Choose another folder with BOARD_HOME.',
}

/** Append-only: entry n upgrades a board from version n to version n + 1. */
const BOARD_MIGRATIONS: readonly Migration[] = [createBoard, createHistoryTable]

/**
 * Opens the cards and runs of a board; a missing file is created. This process owns the file. Damage is reported, and never
 * repaired by deleting cards.
 *
 * @throws AppError `unavailable/store_…`, `configuration/store_foreign`, `configuration/store_newer`; as `migrate`
 */
export function openBoardDatabase(path: string, guard: LossHandling = {}): BoardDatabase {
  const database = new Database(path, {
    ...guard,
    noun: NOUN,
    refuseForeign: (connection, file) => refuseOthers(connection, file, BOARD),
  })
  let upgrade: Upgrade | undefined
  try {
    upgrade = migrate(database, { noun: NOUN, steps: BOARD_MIGRATIONS, copyAdvice: 'Make room.' })
  } catch (error) {
    database.close()
    throw error
  }
  return {
    cards: new SqliteCardStore(database),
    runs: new SqliteRunStore(database),
    history: new SqliteCardHistory(database),
    rows: new SqliteBoardRows(database),
    upgrade,
    copyTo: (copy, signal) => database.copyTo(copy, signal),
    checkWritable: () => checkWritable(database),
    verify: () => database.verify(),
    close: () => database.close(),
  }
}

function createBoard(database: Database): void {
  database.exec(/* sql */ `CREATE TABLE meta (name TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID`)
  createCardTable(database)
  createRunTables(database)
}
