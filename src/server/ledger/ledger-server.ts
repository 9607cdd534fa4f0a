import type { Logger } from 'pino'
import type { Accounts } from '../../accounts/accounts.js'
import { ANONYMOUS, type Identity, userOf } from '../../accounts/identity.js'
import { createThrottleAddress } from '../../login/caller-address.js'
import { CredentialThrottle } from '../../login/credential-throttle.js'
import { createKnownHosts } from '../../login/known-hosts.js'
import type { LoginDesign } from '../../model/login-design.js'
import type { PlatformSource } from '../../model/platforms/platform-source.js'
import type { Micros } from '../../model/timestamp.js'
import type { WebhookAdapter } from '../../platforms/adapter.js'
import type { PlatformCatalogue } from '../../platforms/catalogue.js'
import { createAccess, createPageCheck, type Writers } from '../accounts/access.js'
import { createToActor } from '../accounts/actor.js'
import { AnswerBudget, type AnswerLimits } from '../answer/answer-budget.js'
import { STREAM_TIMES, type StreamTimes } from '../answer/paced-answer.js'
import type { ListLinkedCards } from '../board/linked-cards.js'
import { AnonymousRate } from '../events/anonymous-rate.js'
import type { ServedCaptures } from '../events/capture-route.js'
import { DeliveryTrace, type ServedTrace } from '../events/delivery-trace.js'
import type { ServedReconciliations } from '../events/reconcile-route.js'
import { RefusedDeliveries } from '../events/refused-deliveries.js'
import type { AcceptLargeDelivery } from '../events/webhook-routes.js'
import { type ConnectionLimits, connectionLimits, consumerLimits } from '../http/connection-limits.js'
import { CrossOrigin } from '../http/cross-origin.js'
import { createHttpApp, type HttpApp } from '../http/http-app.js'
import { addressOf, createRequestAddress } from '../http/request-address.js'
import type { Access, HttpRequest } from '../http/route.js'
import type { RequestOutcome } from '../http/router.js'
import { ShedReport } from '../http/shed-report.js'
import { Shutdown } from '../http/shutdown.js'
import { StreamLimits } from '../http/stream-limits.js'
import { createProxyWatch } from '../http/untrusted-proxy.js'
import type { LogRules } from '../logging/request-log.js'
import type { ReadStorageSizes } from '../metrics/process-metrics.js'
import { pages } from '../pages/built-pages.js'
import { loginPages } from '../pages/login-pages.js'
import { createBodyReader, createJsonReader } from '../request/body.js'
import type { CopyLedger } from './backup-route.js'
import type { ServedCopies } from './copy-routes.js'
import type { ServedFollowing } from './follow-routes.js'
import type { DatabaseName } from './health-route.js'
import { LedgerMetrics } from './ledger-metrics.js'
import { DEFINED_WEBHOOK_PATTERNS, ledgerRoutes } from './ledger-routes.js'
import { linkedEventsReader, type ReadLinkedEvents } from './linked-events.js'
import type { ServedLedger } from './served-ledger.js'
import type { VerifyEvents } from './verify-route.js'

export interface LedgerServerSettings {
  /** In front of every path: empty, or `/x`. */
  rootPath: string
  /** The public address behind a proxy. */
  publicUrl?: string
  /** An open ledger may be reached under any host name. */
  allowOpen: boolean
  /** Names and addresses under which the ledger answers, as well as loopback and the address reached. Absent: any. */
  knownHosts?: readonly string[]
  /** Origins whose pages may call the API with a token. */
  corsOrigins: readonly string[]
  /** Per source, all currently valid ones. */
  webhookSecrets: Readonly<Record<PlatformSource, readonly string[]>>
  /** Refuse unverified deliveries. */
  requireVerified: boolean
  /** Origin of the chat platform's server, which its deliveries do not name. */
  chatSite?: string
  /** The same for deliveries whose hook names none, if `chatSite` is not set. */
  chatFallbackSite?: string
  /** The callers that may post events: `tokens` refuses those without credentials. */
  writers: Writers
  /** Events a second and address that callers without credentials may post to a closed ledger; 0: no limit. */
  anonymousRate: number
  /** Browsers send the session's cookie only over TLS, and are instructed to use TLS only (HSTS). */
  cookieSecure: boolean
  /** Addresses or CIDR ranges of proxies whose `X-Forwarded-For` counts, for the throttle of logins and for logs. */
  trustedProxies: readonly string[]
  /** Whether wrong tokens are counted by address. */
  throttleLogins: boolean
  loginPage: LoginDesign
  /** The events are samples. */
  isDemo?: boolean
}

export interface LedgerServerOptions {
  ledger: ServedLedger
  accounts: Accounts
  /** Captures watches for commands on this machine. */
  captures: ServedCaptures
  /** Finds and fetches missed deliveries for commands on this machine. */
  reconciliations: ServedReconciliations
  copyTo: CopyLedger
  verify: VerifyEvents
  copies: ServedCopies
  /** State of following another ledger. */
  following: ServedFollowing
  /** The database, for answers while the store cannot name it. */
  database: DatabaseName
  storageSizes: ReadStorageSizes
  /** When the server made its newest backup, in epoch milliseconds; undefined if it makes none. */
  lastBackup: () => number | undefined
  /** When the ledger was last restored from a backup, in epoch milliseconds; undefined if never, or not known. */
  restoredAt?: number | undefined
  /** One webhook route each. */
  adapters: readonly WebhookAdapter[]
  /** The catalogue of all sources. */
  platforms: readonly PlatformCatalogue[]
  acceptLargeDelivery: AcceptLargeDelivery
  /** The trace of deliveries to the webhooks. Absent: a trace in memory, which ends with the server. */
  trace?: ServedTrace
  settings: LedgerServerSettings
  logger: Logger
  /** Every request is logged at `info`. */
  accessLog: boolean
  /** Address of the board, when it is known; the page links to it. */
  boardUrl?: () => string | undefined
  /** The cards of the board in this process, if there is one. */
  listLinkedCards?: ListLinkedCards
  version: string
  /** The clock that `days` counts back from. */
  now: () => Micros
  /** Milliseconds of a monotonic clock; the process's own when absent. */
  elapsed?: () => number
  /** A new id for each request, of printable ASCII. */
  requestIds: () => string
  streamTimes?: StreamTimes
  /** Default: derived from the limits of the process. */
  limits?: ConnectionLimits
  answerLimits?: AnswerLimits
}

/** Memory for all bodies together, beyond the first 32 KiB of each. */
const BODY_BUDGET_BYTES = 256 * 1024 * 1024
/** Memory for bodies without a credential, and of deliveries, whose signature can be verified only at the end. */
const ANONYMOUS_BODY_BUDGET_BYTES = 128 * 1024 * 1024

const LOG_RULES: Omit<LogRules<Access, Identity>, 'address' | 'logsAll'> = {
  notable: new Set(['login', 'logout', 'account', 'admin']),
  who: identity => {
    const user = identity.kind === 'writer' ? identity.user : userOf(identity)
    if (user) return { identity: identity.kind, user: user.username }
    return identity.kind === 'bootstrap_admin' ? { identity: identity.kind } : {}
  },
}

export interface LedgerServer extends HttpApp {
  /** Reads events for the board of this process. */
  readLinkedEvents: ReadLinkedEvents
}

/** The ledger's HTTP side. It does not close the ledger. */
export function createLedgerServer(options: LedgerServerOptions): LedgerServer {
  const { settings, logger, requestIds } = options
  const { allowOpen, rootPath, webhookSecrets, requireVerified, chatSite, chatFallbackSite, cookieSecure } = settings
  const publicUrl = settings.publicUrl === undefined ? undefined : new URL(settings.publicUrl)
  // Browsers accept the prefix only over TLS and at `/`. In return, no neighbouring host can set a cookie of that name.
  const cookie = cookieSecure
    ? { name: '__Host-event_session', path: '/', secure: true }
    : { name: 'event_session', path: rootPath || '/', secure: false }
  const throttleAddress = createThrottleAddress(settings.trustedProxies)
  const watchProxies = createProxyWatch({ throttleAddress, setting: 'EVENT_TRUSTED_PROXIES', logger })
  const authorise = createAccess({
    accounts: options.accounts,
    cookieName: cookie.name,
    allowOpen,
    writers: settings.writers,
    ...(settings.knownHosts ? { knowsHost: createKnownHosts(settings.knownHosts) } : {}),
    ...(publicUrl ? { publicOrigin: publicUrl.origin } : {}),
    credentialThrottle: new CredentialThrottle({ now: () => performance.now(), enabled: settings.throttleLogins }),
    addressOf: req => addressOf(req, throttleAddress),
  })
  const readBody = createBodyReader(BODY_BUDGET_BYTES, ANONYMOUS_BODY_BUDGET_BYTES)
  const metrics = new LedgerMetrics(logger)
  const refused = new RefusedDeliveries(options.now)
  const webhookSources = new Map(options.adapters.map(({ catalogue }) => [catalogue.webhook_path, catalogue.source]))
  const trace = options.trace ?? new DeliveryTrace(options.now)
  const noteDelivery = (source: string, { req, error }: RequestOutcome) => {
    if (error === undefined) return trace.noteAccepted(source)
    refused.count(source, error)
    trace.noteRefused(source, error, req)
  }
  const limits = options.limits ?? connectionLimits()
  const shed = new ShedReport(logger, reason => metrics.countShed(reason))
  const placesWithin = (limits: Omit<ConnectionLimits, 'connections'>) =>
    new StreamLimits({
      limits,
      addressOf: req => addressOf(req, throttleAddress),
      userOf: req => userOf((req as HttpRequest<Identity>).identity)?.id,
      refused: () => shed.count('held_limit'),
    })
  const shutdown = new Shutdown(placesWithin(limits))
  const budget = new AnswerBudget(options.answerLimits)
  const callerAddress = createRequestAddress(settings.trustedProxies)

  const login = loginPages({
    rootPath,
    look: settings.loginPage,
    ...(publicUrl ? { publicHost: publicUrl.host } : {}),
  })
  const routes = ledgerRoutes({
    ledger: options.ledger,
    accounts: options.accounts,
    listLinkedCards: options.listLinkedCards ?? (async () => undefined),
    program: {
      version: options.version,
      rootPath,
      cookie,
      database: options.database,
      isDemo: settings.isDemo ?? false,
      now: options.now,
    },
    callers: {
      authorise,
      refuseForeignPage: createPageCheck(publicUrl?.origin),
      throttleAddress,
      anonymousRate: new AnonymousRate({
        eventsPerSecond: settings.anonymousRate,
        now: options.elapsed ?? (() => performance.now()),
      }),
      toActor: createToActor(callerAddress),
    },
    bodies: { readBody, readJsonBody: createJsonReader(readBody) },
    answers: {
      budget,
      shutdown,
      times: options.streamTimes ?? STREAM_TIMES,
      consumerPlaces: placesWithin(consumerLimits(limits)),
    },
    platforms: {
      adapters: options.adapters,
      catalogue: options.platforms,
      secrets: webhookSecrets,
      requireVerified,
      chatSite,
      chatFallbackSite,
      acceptLargeDelivery: options.acceptLargeDelivery,
      captures: options.captures,
      reconciliations: options.reconciliations,
    },
    deliveries: { refused, trace },
    copying: { copies: options.copies, following: options.following },
    storage: {
      copyTo: options.copyTo,
      verify: options.verify,
      storageSizes: options.storageSizes,
      lastBackup: options.lastBackup,
      restoredAt: options.restoredAt,
    },
    pages: {
      observatory: pages({
        rootPath,
        folder: 'observatory',
        look: settings.loginPage,
        isDemo: settings.isDemo,
        ...(options.boardUrl === undefined ? {} : { otherProgram: options.boardUrl }),
      }),
      login,
    },
    metrics,
  })
  const app = createHttpApp({
    routes,
    rootPath,
    authorise,
    anonymous: ANONYMOUS,
    compressible: new Set<Access>(['read']),
    showPlain: login.showPlain,
    crossOrigin: new CrossOrigin<Access>({
      origins: settings.corsOrigins,
      publicOrigin: publicUrl?.origin,
      accesses: new Set(['record', 'read', 'write']),
    }),
    tlsOnly: cookieSecure,
    requestIds,
    logger,
    logRules: { ...LOG_RULES, address: callerAddress, logsAll: options.accessLog },
    room: { connections: limits.connections, shed },
    shutdown,
    budget,
    measure: (outcome, seconds) => {
      const { pattern } = outcome
      const source =
        webhookSources.get(pattern ?? '') ??
        (DEFINED_WEBHOOK_PATTERNS.includes(pattern) ? outcome.req.logged?.source : undefined)
      if (source !== undefined) noteDelivery(String(source), outcome)
      metrics.observe(outcome, seconds)
      watchProxies(outcome)
    },
  })
  metrics.watchProgram({
    version: options.version,
    storageSizes: options.storageSizes,
    checkWritable: () => options.ledger.health(),
    connectionCounts: () => app.connectionCounts(),
    heldCounts: () => shutdown.heldCounts(),
  })
  metrics.watchLedger({
    ledger: options.ledger,
    refusedDeliveries: () => refused.list().items,
    captures: options.captures,
    lastBackup: options.lastBackup,
    following: options.following,
  })
  return Object.assign(app, { readLinkedEvents: linkedEventsReader({ ledger: options.ledger, authorise }) })
}
