import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import type { ListLinkedCards } from '../../server/board/linked-cards.js'
import { createLogger } from '../../server/logging/logger.js'
import { watchBoardSecrets } from '../../settings/board/watch-secrets.js'
import { misspelledSettings } from '../../settings/misspelled-settings.js'
import type { SettingSources } from '../../settings/reading/setting-sources.js'
import type { ServeSettings } from '../../settings/serve-settings.js'
import { type BoardServices, type ServedBoard, serveBoard } from './serve-board.js'
import { type ServedLedger, serveLedger } from './serve-ledger.js'
import { type Listening, type ServedTogether, type SharedServices, servedTogether } from './served-program.js'

/** The running programs: the ledger, the board, or both. */
export interface RunningServer extends ServedTogether {
  ledger?: ServedLedger
  board?: ServedBoard
  logger: Logger
}

/**
 * Serves the configured programs in one process.
 *
 * @param sources of the settings: the board's secrets are read again when they change
 * @throws AppError as `serveLedger` and `serveBoard`
 */
export async function serve(settings: ServeSettings, sources: SettingSources): Promise<RunningServer> {
  const logger = createLogger({ level: settings.log.level, pretty: isPretty(settings.log.format) })
  for (const warning of [...settings.warnings, ...misspelledSettings(sources)]) logger.warn(warning)
  const services = { logger, requestIds: requestIds(), accessLog: settings.log.access }
  const secrets = watchBoardSecrets(sources, {
    now: Date.now,
    report: problems => {
      for (const { detail } of problems) logger.error({ detail }, 'a secret of the board cannot be used')
    },
  })
  const { ledger, board } = await start(settings, { ...services, secrets })
  const served = [ledger, board].filter(program => program !== undefined)
  logger.info({ ledger: ledger?.url, database: ledger?.database, board: board?.url, pid: process.pid }, 'serving')
  return {
    ...(ledger ? { ledger } : {}),
    ...(board ? { board } : {}),
    logger,
    ...servedTogether(served, logger),
  }
}

interface Programs {
  ledger?: ServedLedger | undefined
  board?: ServedBoard | undefined
}

async function start(
  settings: ServeSettings,
  services: SharedServices & Pick<BoardServices, 'secrets'>,
): Promise<Programs> {
  const programs: Programs = {}
  const boardUrl = () => publicBoardUrl(settings) ?? programs.board?.url
  const listLinkedCards: ListLinkedCards = async (...asked) => programs.board?.listLinkedCards(...asked)
  programs.ledger = settings.ledger && (await serveLedger(settings.ledger, { ...services, boardUrl, listLinkedCards }))
  const { ledger } = programs
  const listeners: Listening[] = ledger ? [ledger] : []
  try {
    const ledgerUrl = ledger && (publicLedgerUrl(settings) ?? ledger.url)
    const readLinkedEvents = ledger?.readLinkedEvents
    const parts = { ...services, listeners, ledgerUrl, readLinkedEvents }
    programs.board = settings.board && (await serveBoard(settings.board, parts))
    return programs
  } catch (error) {
    await ledger?.close()
    throw error
  }
}

/** The configured address of a program behind a proxy, for people. */
function publicLedgerUrl({ ledger }: ServeSettings): string | undefined {
  return ledger?.publicUrl && ledger.publicUrl + ledger.rootPath
}

function publicBoardUrl({ board }: ServeSettings): string | undefined {
  return board?.gate.serviceOrigin && board.gate.serviceOrigin + board.rootPath
}

function isPretty(format: ServeSettings['log']['format']): boolean {
  return format === 'pretty' || (format === 'auto' && process.stderr.isTTY === true)
}

function requestIds(): () => string {
  const start = randomBytes(6).toString('hex')
  let count = 0
  return () => `${start}-${(count++).toString(36)}`
}
