import { type BoardSettings, readBoard } from './board/board-settings.js'
import { type LedgerSettings, readLedger } from './ledger-settings.js'
import { isLoopback, type ListenSettings } from './listen-settings.js'
import { SettingReader } from './reading/setting-reader.js'
import type { SettingSources } from './reading/setting-sources.js'

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
type LogLevel = (typeof LOG_LEVELS)[number]

/** `auto`: readable text at a terminal, else JSON. */
const LOG_FORMATS = ['auto', 'json', 'pretty'] as const
type LogFormat = (typeof LOG_FORMATS)[number]

export const PROGRAMS = ['ledger', 'board'] as const
type Program = (typeof PROGRAMS)[number]

/** A listener there is at every address of the machine. */
const WILDCARDS: readonly string[] = ['0.0.0.0', '::']

/** All settings of `serve`, validated. A program that is not served has none. */
export interface ServeSettings {
  ledger?: LedgerSettings
  board?: BoardSettings
  log: { level: LogLevel; format: LogFormat; access: boolean }
  /** Sentences for the log, about questionable but accepted settings. */
  warnings: readonly string[]
}

/** Flags as typed. They are validated together with all other settings. */
export interface ServeFlags {
  /** Serve only this program. `--host`, `--port` and `--root-path` then apply to it. */
  only?: Program | undefined
  host?: string | undefined
  port?: string | undefined
  rootPath?: string | undefined
  db?: string | undefined
  allowOpen?: boolean | undefined
  boardPort?: string | undefined
  boardRootPath?: string | undefined
  logLevel?: string | undefined
  capture?: boolean | undefined
  /** Address of the ledger to follow. */
  follow?: string | undefined
  /** Serve sample data and store nothing. */
  demo?: boolean | undefined
}

/** @throws AppError `configuration/settings_invalid`, with every problem */
export function readServeSettings(flags: ServeFlags, sources: SettingSources): ServeSettings {
  const reader = new SettingReader(sources)
  const settings = readServe(reader, flags)
  reader.finish()
  return { ...settings, warnings: reader.warnings }
}

/** The same as part of a larger set that ends with `reader.finish()`. */
export function readServe(reader: SettingReader, flags: ServeFlags): Omit<ServeSettings, 'warnings'> {
  const ledger = flags.only === 'board' ? undefined : readLedger(reader, flags)
  const board = flags.only === 'ledger' ? undefined : readBoard(reader, flags)
  if (ledger && board) refuseSharedPort(reader, ledger, board)
  return {
    ...(ledger ? { ledger } : {}),
    ...(board ? { board } : {}),
    log: {
      level: reader.oneOf('EVENT_LOG_LEVEL', LOG_LEVELS, 'info', { flag: '--log-level', value: flags.logLevel }),
      format: reader.oneOf('EVENT_LOG_FORMAT', LOG_FORMATS, 'auto'),
      access: reader.isOn('EVENT_ACCESS_LOG'),
    },
  }
}

/** Otherwise the board would report that another program uses its port: the ledger. */
function refuseSharedPort(reader: SettingReader, ledger: ListenSettings, board: ListenSettings): void {
  if (board.port === 0 || board.port !== ledger.port || !overlap(board.host, ledger.host)) return
  const detail = `BOARD_PORT and EVENT_PORT are both ${board.port}. Give the board a port of its own, with BOARD_PORT or --board-port.`
  reader.refuse('BOARD_PORT', detail)
}

/** Whether listeners at these hosts may be in each other's way: `localhost` is one of the loopback addresses, or several. */
function overlap(...hosts: readonly [string, string]): boolean {
  const [one, other] = hosts.map(host => host.toLowerCase())
  if (one === other || hosts.some(host => WILDCARDS.includes(host))) return true
  return [one, other].includes('localhost') && hosts.every(isLoopback)
}
