import type { FieldProblem } from '../model/app-error.js'
import type { ChatAccount } from '../model/platforms/chat-account.js'
import type { PostgresAddress } from '../model/postgres-address.js'
import { isChatConfigured, readChatAccount } from './chat-account.js'
import { type BoardClientSettings, type ClientSettings, readBoardClient, readClient } from './client-settings.js'
import type { DatabaseSetting } from './database-setting.js'
import type { BackupSettings, LedgerSettings } from './ledger-settings.js'
import type { LocalFlags } from './local-settings.js'
import { misspelledSettings } from './misspelled-settings.js'
import { SettingReader } from './reading/setting-reader.js'
import type { SettingSources } from './reading/setting-sources.js'
import { readServe } from './serve-settings.js'

/** All valid settings. Those that depend on an invalid one are absent. Without a shared environment, defaults apply. */
export interface DoctorSettings {
  problems: readonly FieldProblem[]
  warnings: readonly string[]
  /** The file with the settings of all programs, whether or not it exists. */
  environmentFile: string
  home?: string
  /** Absolute path of the ledger's database, if it is a file. */
  database?: string
  /** Present if the ledger is in PostgreSQL. */
  postgres?: PostgresAddress
  /** Present if a standby is read. */
  replica?: PostgresAddress
  boardHome?: string
  /** Present if the board is in PostgreSQL. */
  boardPostgres?: PostgresAddress
  /** Null: the server makes no backups. */
  backups?: BackupSettings | null
  webhooks?: Pick<LedgerSettings['webhooks'], 'secrets' | 'requireVerified'>
  /** Null: no account is configured. */
  chat?: ChatAccount | null
  server?: ClientSettings & { isConfigured: boolean }
  board?: BoardClientSettings & { isConfigured: boolean }
}

const HOME = ['home_dir', 'ARCH_HOME']
const BACKUPS = ['EVENT_BACKUP_DIR', 'EVENT_BACKUP_MINUTES', 'EVENT_BACKUP_KEEP']
const ADMIN_TOKEN = ['EVENT_ADMIN_TOKEN', 'EVENT_ADMIN_TOKEN_FILE', 'admin token file']
const BOARD_KEY = ['BOARD_API_KEY', 'BOARD_API_KEY_FILE']
/** Reads the settings of `serve` and the clients. Never throws: the result contains every problem. */
export function readDoctorSettings(flags: LocalFlags, sources: SettingSources): DoctorSettings {
  const reader = new SettingReader(sources)
  const { ledger, board } = readServe(reader, flags)
  const server = { ...readClient(reader, {}), isConfigured: reader.find('EVENT_API_URL') !== undefined }
  const boardServer = { ...readBoardClient(reader, {}), isConfigured: reader.find('BOARD_API_URL') !== undefined }
  const chatReader = new SettingReader(sources)
  const chat = isChatConfigured(chatReader) ? readChatAccount(chatReader) : null
  const isValid = (names: readonly string[]) => !reader.hasRefused(names)
  const isSecret = ({ field }: FieldProblem) => field.startsWith('EVENT_WEBHOOK_')
  return {
    problems: withoutRepeats([...reader.problems, ...(chat ? chatReader.problems : [])]),
    warnings: [...new Set([...reader.warnings, ...misspelledSettings(sources)])],
    environmentFile: reader.shared.path,
    ...(isValid(HOME) && ledger ? { home: ledger.home } : {}),
    ...(isValid([...HOME, 'EVENT_DB', '--db']) && ledger ? databaseOf(ledger.database) : {}),
    ...(isValid([...HOME, 'BOARD_HOME']) && board ? { boardHome: board.home } : {}),
    ...(board?.postgres ? { boardPostgres: board.postgres } : {}),
    ...(isValid(BACKUPS) && ledger ? { backups: ledger.backups ?? null } : {}),
    ...(ledger && !reader.problems.some(isSecret) ? { webhooks: ledger.webhooks } : {}),
    ...(chatReader.problems.length === 0 ? { chat } : {}),
    ...(isValid(['EVENT_API_URL', 'EVENT_API_TOKEN', 'EVENT_API_TOKEN_FILE', ...ADMIN_TOKEN]) ? { server } : {}),
    ...(isValid(['BOARD_API_URL', ...BOARD_KEY]) ? { board: boardServer } : {}),
  }
}

function databaseOf({
  path,
  postgres,
  replica,
}: DatabaseSetting): Pick<DoctorSettings, 'database' | 'postgres' | 'replica'> {
  if (postgres) return { postgres, ...(replica ? { replica } : {}) }
  // An invalid PostgreSQL address has no path.
  return path === '' ? {} : { database: path }
}

/** Removes repeats: the admin token is read for both the server and the clients. */
function withoutRepeats(problems: readonly FieldProblem[]): FieldProblem[] {
  return [...new Map(problems.map(problem => [problem.detail, problem])).values()]
}
