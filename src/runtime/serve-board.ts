import { randomBytes } from 'node:crypto'
import { Backends } from '../board/backends.js'
import { Cards } from '../board/cards.js'
import { Executor } from '../board/executor.js'
import { createGate } from '../gate/board-gate.js'
import type { Gate } from '../gate/gate.js'
import type { BoardSecrets } from '../model/board/board-secrets.js'
import { createBoardServer } from '../server/board/board-server.js'
import type { HttpApp } from '../server/http-app.js'
import type { BoardSettings } from '../settings/board-settings.js'
import { type Listening, listen } from './listening.js'
import { boardFiles, type OpenBoard, openBoard } from './open-board.js'
import { wallClock } from './open-ledger.js'
import type { Surroundings } from './serve-ledger.js'
import type { ServedProgram } from './served-together.js'
import { readVersion } from './version.js'

/** A board that is served. */
export interface ServedBoardProgram extends Listening, ServedProgram {
  /** The folder of its files. */
  home: string
  /** Where commands on this machine reach it. */
  socket: string
  /** Stops accepting, ends the run that is under way, finishes what was accepted and closes. */
  close(): Promise<void>
}

export interface BoardSurroundings extends Surroundings {
  /** Where this process listens; the board adds itself. */
  listeners: Listening[]
  /** The secrets as they are at each call. */
  secrets: () => Promise<BoardSecrets>
  /** Address of the ledger's page, where it is served as well. */
  ledgerUrl?: string | undefined
}

/**
 * Opens a board and serves it over TCP and over the owner's socket.
 *
 * @throws AppError `conflict/ledger_owned`, `configuration/address_in_use`, `configuration/…`, `unavailable/store_…`
 */
export async function serveBoard(settings: BoardSettings, around: BoardSurroundings): Promise<ServedBoardProgram> {
  const { logger, listeners } = around
  const opened = await openBoard(settings.home, logger)
  opened.failed.catch(error => logger.fatal({ err: error }, 'the board can no longer be written'))
  let stop = () => opened.close()
  try {
    const executor = await createExecutor(settings, opened, around)
    stop = async () => {
      await executor.close().finally(() => opened.close())
    }
    const gate = createGate({
      settings: settings.gate,
      secrets: around.secrets,
      sessions: opened.store.sessions,
      now: wallClock,
      elapsed: () => performance.now(),
    })
    await gate.keepOwnSessions()
    const server = createServer(settings, { opened, executor, gate }, around)
    stop = async () => {
      try {
        await server.close()
        await executor.close()
      } finally {
        await opened.close()
      }
    }
    await server.listenSocket(opened.socket)
    const listening = await listen(server, settings)
    listeners.push(listening)
    await opened.announce(listening.url)
    return { ...listening, home: settings.home, socket: opened.socket, failed: opened.failed, close: stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function createExecutor(
  { executor }: BoardSettings,
  { store }: OpenBoard,
  { logger, secrets }: BoardSurroundings,
): Promise<Executor> {
  return Executor.open({
    runs: store.runs,
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
  { opened: { store }, executor, gate }: { opened: OpenBoard; executor: Executor; gate: Gate },
  { logger, requestIds, listeners, ledgerUrl }: BoardSurroundings,
): HttpApp {
  const { rootPath, columns, isDemo } = settings
  const { cookieSecure, trustedProxies, loginPage, serviceOrigin, username } = settings.gate
  return createBoardServer({
    gate,
    cards: new Cards({
      store: store.cards,
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
    copy: store.copies,
    ownListeners: () => listeners,
    settings: {
      ...{ rootPath, cookieSecure, trustedProxies, loginPage, asksUsername: username !== undefined, isDemo },
      ...(serviceOrigin === undefined ? {} : { serviceOrigin }),
      ...(ledgerUrl === undefined ? {} : { ledgerUrl }),
    },
    logger,
    version: readVersion(),
    requestIds,
  })
}
