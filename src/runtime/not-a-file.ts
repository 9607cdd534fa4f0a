import { AppError } from '../model/app-error.js'
import type { DatabaseSetting } from '../settings/database-setting.js'

/** A command or route that works on a file was asked for a ledger that has none. */
export function notAFile(): AppError {
  return new AppError('configuration', 'ledger_not_a_file', 'This ledger is in PostgreSQL, and has no file.', {
    hint: 'Back it up with pg_dump or pg_basebackup, check it with `daybook ledger verify`, and compact it with VACUUM FULL.',
  })
}

/** The same for a board. */
export function boardNotAFile(): AppError {
  return new AppError('configuration', 'board_not_a_file', 'This board is in PostgreSQL, and has no file.', {
    hint: 'Back it up with pg_dump or pg_basebackup.',
  })
}

/** @throws AppError `configuration/ledger_not_a_file` for a ledger in PostgreSQL */
export function requireFile({ postgres }: DatabaseSetting): void {
  if (postgres) throw notAFile()
}
