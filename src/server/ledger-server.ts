import type { Logger } from 'pino'
import type { Accounts } from '../accounts/accounts.js'
import { ANONYMOUS, type Identity, userOf } from '../accounts/identity.js'
import { createThrottleAddress } from '../login/throttle-address.js'
import type { LoginLook } from '../model/login-look.js'
import type { Micros } from '../model/timestamp.js'
import type { PlatformCatalogue, PlatformSource, WebhookAdapter } from '../platforms/adapter.js'
import { createAccess } from './access.js'
import { createBodyReader } from './body.js'
import type { ServedCaptures } from './captures.js'
import type { DatabaseName } from './health.js'
import { createHttpApp, type HttpApp } from './http-app.js'
import { createJsonReader } from './json-body.js'
import { LedgerMetrics } from './ledger-metrics.js'
import { ledgerRoutes } from './ledger-routes.js'
import { loginPages } from './login-pages.js'
import { STREAM_TIMES, type StreamTimes } from './paced-answer.js'
import { pages } from './page-files.js'
import type { LogRules } from './request-log.js'
import type { Access } from './route.js'
import type { ServedLedger } from './served-ledger.js'
import { Shutdown } from './shutdown.js'
import type { TakeLargeDelivery } from './webhooks.js'

export interface LedgerServerSettings {
  /** In front of every path: empty, or `/x`. */
  rootPath: string
  /** The address people use when a proxy stands in front. */
  publicUrl?: string
  /** An open ledger may be reached under any host name. */
  allowOpen: boolean
  /** Per source, all that are valid now. */
  webhookSecrets: Readonly<Record<PlatformSource, readonly string[]>>
  /** Refuse deliveries that prove nothing. */
  requireVerified: boolean
  /** Origin of the chat platform's server, which its deliveries do not name. */
  chatSite?: string
  /** Browsers send the session's cookie over TLS only, and are told to come over TLS only. */
  cookieSecure: boolean
  /** Addresses or CIDR ranges of proxies whose `X-Forwarded-For` counts, for the throttle of logins alone. */
  trustedProxies: readonly string[]
  loginPage: LoginLook
  /** The events are invented. */
  isDemo?: boolean
}

export interface LedgerServerOptions {
  ledger: ServedLedger
  accounts: Accounts
  /** Captures watches for commands beside the server. */
  captures: ServedCaptures
  /** Which database it is, for when it cannot say so itself. */
  database: DatabaseName
  /** One webhook route each. */
  adapters: readonly WebhookAdapter[]
  /** The catalogue of all sources. */
  platforms: readonly PlatformCatalogue[]
  takeLargeDelivery: TakeLargeDelivery
  settings: LedgerServerSettings
  logger: Logger
  /** Where the board is, once it is known; the page links to it. */
  boardUrl?: () => string | undefined
  version: string
  /** The clock that `days` counts back from. */
  now: () => Micros
  /** A new id for each request, of printable ASCII. */
  requestIds: () => string
  streamTimes?: StreamTimes
}

/** What bodies that are being read may hold together, beyond the first mebibyte of each. */
const BODY_BUDGET_BYTES = 256 * 1024 * 1024

const LOG_RULES: LogRules<Access, Identity> = {
  notable: new Set(['login', 'logout', 'account', 'admin']),
  who: identity => {
    const user = userOf(identity)
    if (user) return { identity: identity.kind, user: user.username }
    return identity.kind === 'bootstrap_admin' ? { identity: identity.kind } : {}
  },
}

/** The ledger's HTTP side. It does not close the ledger. */
export function createLedgerServer(options: LedgerServerOptions): HttpApp {
  const { settings, logger, requestIds } = options
  const { allowOpen, rootPath, webhookSecrets, requireVerified, chatSite, cookieSecure } = settings
  const publicUrl = settings.publicUrl === undefined ? undefined : new URL(settings.publicUrl)
  // Browsers accept the prefix over TLS and at `/` only; in return no neighbour can set a cookie of that name.
  const cookie = cookieSecure
    ? { name: '__Host-event_session', path: '/', secure: true }
    : { name: 'event_session', path: rootPath || '/', secure: false }
  const authorise = createAccess({
    accounts: options.accounts,
    cookieName: cookie.name,
    allowOpen,
    ...(publicUrl ? { publicOrigin: publicUrl.origin } : {}),
  })
  const readBody = createBodyReader(BODY_BUDGET_BYTES)
  const login = { rootPath, look: settings.loginPage, ...(publicUrl ? { publicHost: publicUrl.host } : {}) }
  const metrics = new LedgerMetrics()
  const shutdown = new Shutdown()

  const routes = ledgerRoutes({
    ledger: options.ledger,
    database: options.database,
    adapters: options.adapters,
    platforms: options.platforms,
    webhookSecrets,
    requireVerified,
    chatSite,
    takeLargeDelivery: options.takeLargeDelivery,
    rootPath,
    version: options.version,
    isDemo: settings.isDemo ?? false,
    now: options.now,
    observatory: pages({
      rootPath,
      folder: 'observatory',
      look: settings.loginPage,
      isDemo: settings.isDemo,
      ...(options.boardUrl === undefined ? {} : { otherProgram: options.boardUrl }),
    }),
    login: loginPages(login),
    readBody,
    readJsonBody: createJsonReader(readBody),
    accounts: options.accounts,
    authorise,
    cookie,
    throttleAddress: createThrottleAddress(settings.trustedProxies),
    metrics,
    shutdown,
    streamTimes: options.streamTimes ?? STREAM_TIMES,
    captures: options.captures,
  })
  return createHttpApp({
    routes,
    rootPath,
    authorise,
    nobody: ANONYMOUS,
    tlsOnly: cookieSecure,
    requestIds,
    logger,
    logRules: LOG_RULES,
    shutdown,
    measure: ({ req, res, pattern }, seconds) =>
      metrics.observeRequest(pattern ?? 'none', req.method, res.statusCode, seconds),
  })
}
