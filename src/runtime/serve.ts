import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { createLogger } from '../server/logging/logger.js'
import type { ServeSettings } from '../settings/serve-settings.js'
import type { SettingSources } from '../settings/setting-sources.js'
import { watchBoardSecrets } from '../settings/watch-board-secrets.js'
import type { Listening } from './listening.js'
import { type BoardSurroundings, type ServedBoardProgram, serveBoard } from './serve-board.js'
import { type ServedLedgerProgram, type Surroundings, serveLedger } from './serve-ledger.js'
import { type ServedTogether, servedTogether } from './served-together.js'

/** What answers now: both programs, or one of them. */
export interface RunningServer extends ServedTogether {
  ledger?: ServedLedgerProgram
  board?: ServedBoardProgram
  /** Where it tells what happens. */
  logger: Logger
}

/**
 * Serves what the settings say, in one process.
 *
 * @param sources of the settings: the board's secrets are read again when they change
 * @throws AppError as `serveLedger` and `serveBoard`
 */
export async function serve(settings: ServeSettings, sources: SettingSources): Promise<RunningServer> {
  const logger = createLogger({ level: settings.log.level, pretty: isPretty(settings.log.format) })
  for (const warning of settings.warnings) logger.warn(warning)
  const around = { logger, requestIds: requestIds() }
  const secrets = watchBoardSecrets(sources, {
    now: Date.now,
    report: problems => {
      for (const { detail } of problems) logger.error({ detail }, 'a secret of the board cannot be used')
    },
  })
  const { ledger, board } = await start(settings, { ...around, secrets })
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
  ledger?: ServedLedgerProgram | undefined
  board?: ServedBoardProgram | undefined
}

async function start(
  settings: ServeSettings,
  around: Surroundings & Pick<BoardSurroundings, 'secrets'>,
): Promise<Programs> {
  const programs: Programs = {}
  const boardUrl = () => publicBoardUrl(settings) ?? programs.board?.url
  programs.ledger = settings.ledger && (await serveLedger(settings.ledger, { ...around, boardUrl }))
  const { ledger } = programs
  const listeners: Listening[] = ledger ? [ledger] : []
  try {
    const ledgerUrl = ledger && (publicLedgerUrl(settings) ?? ledger.url)
    programs.board = settings.board && (await serveBoard(settings.board, { ...around, listeners, ledgerUrl }))
    return programs
  } catch (error) {
    await ledger?.close()
    throw error
  }
}

/** Where people find a program behind a proxy, if somebody has said so. */
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
