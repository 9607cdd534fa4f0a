import { DEFAULT_COLUMNS } from '../../model/board/card.js'
import { isPostgresUrl, type PostgresAddress } from '../../model/postgres-address.js'
import { readBoardHome, readHome } from '../home-folder.js'
import { isLoopback, type ListenSettings, readListen } from '../listen-settings.js'
import { readPostgres } from '../postgres-setting.js'
import { place, SettingReader } from '../reading/setting-reader.js'
import type { SettingSources } from '../reading/setting-sources.js'
import type { ServeFlags } from '../serve-settings.js'
import { type BoardExecutorSettings, readBoardExecutor } from './executor-settings.js'
import { type BoardGateSettings, readBoardGate } from './gate-settings.js'

/** All settings of the board's server. */
export interface BoardSettings extends ListenSettings {
  /** Absolute: the folder of its databases and of `backends.json`. */
  home: string
  /** Absent: its databases are files in `home`. */
  postgres?: PostgresAddress
  /** From left to right. */
  columns: readonly string[]
  gate: BoardGateSettings
  executor: BoardExecutorSettings
  /** Whether the cards are sample data, and nothing is stored. */
  isDemo: boolean
}

/** Differs from that of a ledger, which may be in the same database. */
const BOARD_SCHEMA = 'daybook_board'
const MAX_COLUMNS = 12
const COLUMN = /^[a-z0-9][a-z0-9_-]{0,39}$/

/**
 * Settings of the board, as part of a larger set that ends with `reader.finish()`.
 *
 * Source: Board Access Gate, "Configuration"; decisions on the board, section 8.
 */
export function readBoard(reader: SettingReader, flags: ServeFlags): BoardSettings {
  const home = readBoardHome(reader, readHome(reader))
  const postgres = readBoardDatabase(reader)
  const alone = flags.only === 'board'
  const listen = readListen(reader, 'BOARD', 8766, {
    host: alone ? { flag: '--host', value: flags.host } : undefined,
    port: { flag: '--board-port', value: flags.boardPort ?? (alone ? flags.port : undefined) },
    rootPath: { flag: '--board-root-path', value: flags.boardRootPath ?? (alone ? flags.rootPath : undefined) },
  })
  const gate = readBoardGate(reader)
  if (!gate.isProtected && !isLoopback(listen.host)) {
    const found = reader.find('BOARD_HOST') ?? { name: '--host', value: listen.host }
    const advice = 'Set BOARD_PASSWORD or BOARD_API_KEY, or listen on 127.0.0.1.'
    const detail = `${found.name} "${listen.host}"${place(found)} would let other machines use a board without a login.`
    reader.refuse(found.name, `${detail} ${advice}`)
  }
  return {
    ...listen,
    home,
    ...(postgres ? { postgres } : {}),
    columns: readColumns(reader),
    gate,
    executor: readBoardExecutor(reader, home),
    isDemo: flags.demo ?? false,
  }
}

/** The address of the PostgreSQL database in `BOARD_DB`. @returns undefined for a board in files */
function readBoardDatabase(reader: SettingReader): PostgresAddress | undefined {
  const found = reader.find('BOARD_DB')
  const isPostgres = found !== undefined && isPostgresUrl(found.value)
  if (found && !isPostgres) {
    // Its value may contain a password.
    reader.refuse(
      found.name,
      'BOARD_DB is not an address that begins with postgres://. The folder of a board in files is BOARD_HOME.',
    )
  }
  return readPostgres(reader, isPostgres ? found : undefined, { setting: 'BOARD_DB', schema: BOARD_SCHEMA })
}

/** Place of the board, for a command that needs no other setting. @throws AppError `configuration/settings_invalid` */
export function findBoard(sources: SettingSources): Pick<BoardSettings, 'home' | 'postgres'> {
  const reader = new SettingReader(sources)
  const home = readBoardHome(reader, readHome(reader))
  const postgres = readBoardDatabase(reader)
  reader.finish()
  return { home, ...(postgres ? { postgres } : {}) }
}

export interface BoardPlace {
  /** Absolute. */
  home: string
  /** Absent: the board is in files in `home`. */
  postgres?: PostgresAddress
}

/**
 * A board that a flag names: a folder, or an address whose password may be in `BOARD_DB_PASSWORD_FILE`.
 *
 * @throws AppError `configuration/settings_invalid`
 */
export function readBoardPlace(flag: string, value: string, sources: SettingSources): BoardPlace {
  const reader = new SettingReader(sources)
  const isPostgres = isPostgresUrl(value)
  if (value === '') reader.refuse(flag, `${flag} is empty. Name a folder, or an address that begins with postgres://.`)
  const found = isPostgres ? { name: flag, value } : undefined
  const postgres = readPostgres(reader, found, { setting: 'BOARD_DB', schema: BOARD_SCHEMA })
  const home = isPostgres ? readHome(reader) : reader.path(value)
  reader.finish()
  return { home, ...(postgres ? { postgres } : {}) }
}

function readColumns(reader: SettingReader): readonly string[] {
  const allowed = `is not a list of 1 to ${MAX_COLUMNS} different names with commas between them, each of lower-case letters, digits, "-" and "_"`
  return reader.text('BOARD_COLUMNS', acceptColumns, allowed) ?? DEFAULT_COLUMNS
}

function acceptColumns(text: string): string[] | undefined {
  const columns = text.split(',').map(name => name.trim())
  const fits = columns.length <= MAX_COLUMNS && new Set(columns).size === columns.length
  return fits && columns.every(name => COLUMN.test(name)) ? columns : undefined
}
