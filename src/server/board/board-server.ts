import type { Logger } from 'pino'
import type { Executor } from '../../board/executor.js'
import type { BoardAccess } from '../../gate/access.js'
import type { Gate } from '../../gate/gate.js'
import { ANONYMOUS, type BoardIdentity } from '../../gate/identity.js'
import { createThrottleAddress } from '../../login/caller-address.js'
import type { LoginDesign } from '../../model/login-design.js'
import type { Backends } from '../../proxy/backends.js'
import type { SocketAddress } from '../../proxy/own-address.js'
import { ANSWER_LIMITS, AnswerBudget } from '../answer/answer-budget.js'
import { STREAM_TIMES, type StreamTimes } from '../answer/paced-answer.js'
import { type ConnectionLimits, connectionLimits } from '../http/connection-limits.js'
import { createHttpApp, type HttpApp } from '../http/http-app.js'
import { addressOf, createRequestAddress } from '../http/request-address.js'
import { ShedReport } from '../http/shed-report.js'
import { Shutdown } from '../http/shutdown.js'
import { StreamLimits } from '../http/stream-limits.js'
import { createProxyWatch } from '../http/untrusted-proxy.js'
import type { ReadLinkedEvents } from '../ledger/linked-events.js'
import type { LogRules } from '../logging/request-log.js'
import type { ReadStorageSizes } from '../metrics/process-metrics.js'
import { pages } from '../pages/built-pages.js'
import { createBodyReader, createJsonReader } from '../request/body.js'
import type { ProxyTimes } from './backend-routes.js'
import type { CopyBoardDatabase } from './backup-route.js'
import { boardLoginPages } from './board-login-pages.js'
import { BoardMetrics } from './board-metrics.js'
import { type BoardDatabaseName, boardRoutes } from './board-routes.js'
import type { ServedCards } from './card-routes.js'
import { factsOf } from './gate-facts.js'
import { type ListLinkedCards, linkedCardsReader } from './linked-cards.js'
import { boardCookie } from './session-routes.js'

interface BoardServerSettings {
  /** In front of every path: empty, or `/x`. */
  rootPath: string
  /** Browsers send the session's cookie only over TLS, and are instructed to use TLS only (HSTS). */
  cookieSecure: boolean
  /** Addresses or CIDR ranges of proxies whose `X-Forwarded-For` counts, for the throttle of logins and for logs. */
  trustedProxies: readonly string[]
  loginPage: LoginDesign
  /** Whether the login page asks for a user name as well. */
  asksUsername: boolean
  /** Origin of the public address behind a proxy. */
  serviceOrigin?: string
  /** Address of the ledger's page, for a link to it. */
  ledgerUrl?: string
  /** Where to log in to the ledger, if its sessions count. */
  ledgerLoginUrl?: string
  /** Whether the cards are samples; the page shows that. */
  isDemo?: boolean
}

interface BoardServerOptions {
  gate: Gate
  cards: ServedCards
  executor: Executor
  backends: Backends
  /** Reads events of the ledger in this process, if there is one. */
  readLinkedEvents?: ReadLinkedEvents
  copy: CopyBoardDatabase
  /** Proves that both databases can commit. @throws AppError `unavailable/…` */
  checkWritable: () => Promise<void>
  database: BoardDatabaseName
  storageSizes: ReadStorageSizes
  /** Where this process currently listens, the ledger included: no backend may be one of these. */
  ownListeners: () => readonly SocketAddress[]
  settings: BoardServerSettings
  logger: Logger
  /** Every request is logged at `info`. */
  accessLog: boolean
  version: string
  /** A new id for each request, of printable ASCII. */
  requestIds: () => string
  streamTimes?: StreamTimes
  proxyTimes?: ProxyTimes
  /** Default: derived from the limits of the process. */
  limits?: ConnectionLimits
}

/** For all bodies together, beyond the first 32 KiB of each. */
const BODY_BUDGET_BYTES = 32 * 1024 * 1024
/** For all answers together that their readers have not received yet. */
const ANSWER_BUDGET_BYTES = 64 * 1024 * 1024

const LOG_RULES: Omit<LogRules<BoardAccess, BoardIdentity>, 'address' | 'logsAll'> = {
  notable: new Set(['login', 'logout', 'execute', 'local']),
  who: identity => {
    if (identity.kind === 'anonymous') return {}
    const user = identity.kind === 'session' ? identity.ledgerUser : undefined
    return { identity: identity.kind, ...(user === undefined ? {} : { user }) }
  },
}

export interface BoardServer extends HttpApp {
  /** Lists cards for the ledger of this process. */
  listLinkedCards: ListLinkedCards
}

/** The board's HTTP side. It does not close the board. */
export function createBoardServer(options: BoardServerOptions): BoardServer {
  const { gate, settings, logger, requestIds } = options
  const { rootPath, cookieSecure, loginPage: look, asksUsername, serviceOrigin, ledgerUrl, ledgerLoginUrl } = settings
  const throttleAddress = createThrottleAddress(settings.trustedProxies)
  const publicHost = serviceOrigin === undefined ? undefined : new URL(serviceOrigin).host
  const watchProxies = createProxyWatch({ throttleAddress, setting: 'BOARD_TRUSTED_PROXIES', logger })
  const limits = options.limits ?? connectionLimits()
  const metrics = new BoardMetrics(logger)
  const shed = new ShedReport(logger, reason => metrics.countShed(reason))
  const shutdown = new Shutdown(
    new StreamLimits({
      limits,
      addressOf: req => addressOf(req, throttleAddress),
      refused: () => shed.count('held_limit'),
    }),
  )
  const login = boardLoginPages({
    rootPath,
    look,
    asksUsername,
    ...(publicHost === undefined ? {} : { publicHost }),
    ...(ledgerLoginUrl === undefined
      ? {}
      : { ledger: { url: ledgerLoginUrl, isOnly: () => !gate.authStatus(ANONYMOUS).enabled } }),
  })
  const routes = boardRoutes({
    ...options,
    readLinkedEvents: options.readLinkedEvents ?? (async () => undefined),
    rootPath,
    pages: {
      board: pages({
        rootPath,
        folder: 'board',
        look,
        isDemo: settings.isDemo,
        ...(ledgerUrl === undefined ? {} : { otherProgram: () => ledgerUrl }),
      }),
      login,
    },
    readJsonBody: createJsonReader(createBodyReader(BODY_BUDGET_BYTES)),
    cookie: boardCookie(cookieSecure),
    throttleAddress,
    shutdown,
    metrics,
    streamTimes: options.streamTimes ?? STREAM_TIMES,
  })
  const app = createHttpApp({
    routes,
    rootPath,
    authorise: async ({ access }, req) => {
      req.identity = await gate.admit(factsOf(req, access, throttleAddress))
    },
    anonymous: ANONYMOUS,
    compressible: new Set<BoardAccess>(['api']),
    showPlain: login.showPlain,
    challenge: 'Bearer realm="board"',
    tlsOnly: cookieSecure,
    requestIds,
    logger,
    logRules: { ...LOG_RULES, address: createRequestAddress(settings.trustedProxies), logsAll: options.accessLog },
    room: { connections: limits.connections, shed },
    shutdown,
    budget: new AnswerBudget({ ...ANSWER_LIMITS, bytes: ANSWER_BUDGET_BYTES }),
    measure: (outcome, seconds) => {
      metrics.observe(outcome, seconds)
      watchProxies(outcome)
    },
  })
  metrics.watchProgram({
    version: options.version,
    checkWritable: options.checkWritable,
    storageSizes: options.storageSizes,
    connectionCounts: () => app.connectionCounts(),
    heldCounts: () => shutdown.heldCounts(),
  })
  metrics.watchBoard(options)
  return Object.assign(app, { listLinkedCards: linkedCardsReader({ gate, cards: options.cards, throttleAddress }) })
}
