import { DEFAULT_COLUMNS } from '../../model/board/card.js'
import { readBoardHome, readHome } from '../home-folder.js'
import { isLoopback, type ListenSettings, readListen } from '../listen-settings.js'
import { place, type SettingReader } from '../reading/setting-reader.js'
import type { ServeFlags } from '../serve-settings.js'
import { type BoardExecutorSettings, readBoardExecutor } from './executor-settings.js'
import { type BoardGateSettings, readBoardGate } from './gate-settings.js'

/** All settings of the board's server. */
export interface BoardSettings extends ListenSettings {
  /** Absolute: the folder of its databases and of `backends.json`. */
  home: string
  /** From left to right. */
  columns: readonly string[]
  gate: BoardGateSettings
  executor: BoardExecutorSettings
  /** The cards are sample data, and nothing is kept. */
  isDemo: boolean
}

const MAX_COLUMNS = 12
const COLUMN = /^[a-z0-9][a-z0-9_-]{0,39}$/

/**
 * Settings of the board, as part of a larger set that ends with `reader.finish()`.
 *
 * Source: Board Access Gate, "Configuration"; decisions on the board, section 8.
 */
export function readBoard(reader: SettingReader, flags: ServeFlags): BoardSettings {
  const home = readBoardHome(reader, readHome(reader))
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
    columns: readColumns(reader),
    gate,
    executor: readBoardExecutor(reader, home),
    isDemo: flags.demo ?? false,
  }
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
