import { randomBytes } from 'node:crypto'
import { Cards } from '../../board/cards.js'
import { Executor } from '../../board/executor.js'
import { askSession } from '../../client/ask-session.js'
import { createGate } from '../../gate/board-gate.js'
import type { Gate } from '../../gate/gate.js'
import { createLedgerLogin } from '../../gate/ledger-login.js'
import { isLoopbackHost } from '../../login/origins.js'
import type { BoardSecrets } from '../../model/board/board-secrets.js'
import { Backends } from '../../proxy/backends.js'
import { type BoardServer, createBoardServer } from '../../server/board/board-server.js'
import type { ReadLinkedEvents } from '../../server/ledger/linked-events.js'
import type { BoardSettings } from '../../settings/board/board-settings.js'
import { finishUpgrade } from '../finish-upgrade.js'
import { boardNotAFile } from '../not-a-file.js'
import { boardFiles, type OpenBoard, openBoard } from '../open-board.js'
import { wallClock } from '../open-ledger.js'
import { type Listening, listen, readVersion, type ServedProgram, type SharedServices } from './served-program.js'
import { sqliteSizes } from './storage-sizes.js'

/** A running board. */
export interface ServedBoard extends ServedProgram {
  /** The folder of its files, or the address of its database without the password. */
  database: string
  /** Lists cards for the ledger of this process. */
  listLinkedCards: BoardServer['listLinkedCards']
  /** Also ends the current run. */
  close(): Promise<void>
}

/** Services that the process provides to the board. */
export interface BoardServices extends SharedServices {
  /** Where this process listens; the board adds itself. */
  listeners: Listening[]
  /** Returns the current secrets. */
  secrets: () => Promise<BoardSecrets>
  /** Address of the ledger's page, if the ledger is served too. */
  ledgerUrl?: string | undefined
  /** Reads events of the ledger of this process. */
  readLinkedEvents?: ReadLinkedEvents | undefined
}

/**
 * Opens a board and serves it over TCP and over the owner's socket.
 *
 * @throws AppError `conflict/ledger_owned`, `configuration/address_in_use`, `configuration/…`, `unavailable/store_…`
 */
export async function serveBoard(settings: BoardSettings, services: BoardServices): Promise<ServedBoard> {
  const { logger, listeners } = services
  const opened = await openBoard(settings, logger)
  opened.failed.catch(error => logger.fatal({ err: error }, 'the board can no longer be written'))
  let stop = () => opened.close()
  try {
    const executor = await createExecutor(settings, opened, services)
    stop = async () => {
      await executor.close().finally(() => opened.close())
    }
    const { ledgerLogin: ledgerUrl } = settings.gate
    const report = (error: unknown) => logger.warn({ err: error }, 'the ledger cannot be asked for its sessions')
    const gate = createGate({
      settings: settings.gate,
      ledgerLogin:
        ledgerUrl === undefined
          ? undefined
          : createLedgerLogin({ askLedger: cookie => askSession(ledgerUrl, cookie), report }),
      secrets: services.secrets,
      sessions: opened.store.sessions,
      loginFailures: opened.store.multiServer?.loginFailures,
      now: opened.store.multiServer?.now ?? wallClock,
      elapsed: () => performance.now(),
    })
    await gate.keepOwnSessions()
    const server = createServer(settings, { opened, executor, gate }, services)
    stop = async () => {
      try {
        await server.close()
        await executor.close()
      } finally {
        await opened.close()
      }
    }
    const { file, failed, database } = opened
    if (file) await server.listenSocket(file.socket)
    const listening = await listen(server, settings)
    listeners.push(listening)
    await file?.cardsOwner.announce({ address: listening.url })
    if (file) await finishUpgrade(file.cardsOwner, file.store.upgrade, logger)
    const { listLinkedCards } = server
    return { ...listening, database, listLinkedCards, failed, close: stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function createExecutor(
  { executor }: BoardSettings,
  { store }: OpenBoard,
  { logger, secrets }: BoardServices,
): Promise<Executor> {
  return Executor.open({
    runs: store.runs,
    multiServer: store.multiServer?.runs,
    findCard: id => store.cards.find(id),
    settings: executor,
    hasToken: async () => (await secrets()).executorToken !== undefined,
    now: wallClock,
    newId: () => `run_${randomBytes(8).toString('hex')}`,
    newMarker: () => randomBytes(32).toString('base64url'),
    report: error => logger.error({ err: error }, 'the executor failed'),
  })
}

function createServer(
  settings: BoardSettings,
  { opened, executor, gate }: { opened: OpenBoard; executor: Executor; gate: Gate },
  { logger, accessLog, requestIds, listeners, ledgerUrl, readLinkedEvents }: BoardServices,
): BoardServer {
  const { rootPath, columns, isDemo } = settings
  const { store, file, database, engine } = opened
  const { cookieSecure, trustedProxies, loginPage, serviceOrigin, username, ledgerLogin } = settings.gate
  return createBoardServer({
    gate,
    cards: new Cards({
      store: store.cards,
      history: store.history,
      columns,
      now: wallClock,
      newCardId: () => `card_${randomBytes(8).toString('hex')}`,
    }),
    executor,
    backends: new Backends({
      file: boardFiles(settings.home).backends,
      nowMs: Date.now,
      warn: sentence => logger.warn(sentence),
    }),
    ...(readLinkedEvents ? { readLinkedEvents } : {}),
    copy: file?.store.copies ?? { cards: refuseCopy, sessions: refuseCopy },
    checkWritable: store.checkWritable,
    database: { database, engine },
    storageSizes: async () => {
      const bytes = await store.multiServer?.sizeBytes()
      return bytes === undefined ? sqliteSizes(boardFiles(settings.home).cards) : { database: bytes }
    },
    ownListeners: () => listeners,
    settings: {
      rootPath,
      cookieSecure,
      trustedProxies,
      loginPage,
      asksUsername: username !== undefined,
      isDemo,
      ...(serviceOrigin === undefined ? {} : { serviceOrigin }),
      ...(ledgerUrl === undefined ? {} : { ledgerUrl }),
      ...(ledgerLogin === undefined ? {} : { ledgerLoginUrl: loginPageOf(ledgerLogin, ledgerUrl) }),
    },
    logger,
    accessLog,
    version: readVersion(),
    requestIds,
  })
}

/** The ledger that the setting names, by its address for people if it is the one of this process. */
function loginPageOf(ledgerLogin: string, ledgerUrl: string | undefined): string {
  return ledgerUrl !== undefined && isLoopbackHost(new URL(ledgerLogin).host) ? ledgerUrl : ledgerLogin
}

function refuseCopy(): Promise<never> {
  return Promise.reject(boardNotAFile())
}
