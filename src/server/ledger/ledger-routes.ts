import type { Accounts } from '../../accounts/accounts.js'
import type { Identity } from '../../accounts/identity.js'
import type { ToAddress } from '../../login/caller-address.js'
import type { CookiePlace } from '../../login/cookies.js'
import { EventSchema } from '../../model/events/event.js'
import type { PlatformSource } from '../../model/platforms/platform-source.js'
import { webhookPathOf } from '../../model/sources/source-definition.js'
import { SubscriptionSchema } from '../../model/subscriptions/subscription.js'
import type { Micros } from '../../model/timestamp.js'
import type { WebhookAdapter } from '../../platforms/adapter.js'
import type { PlatformCatalogue } from '../../platforms/catalogue.js'
import type { Authorise } from '../accounts/access.js'
import type { ToActor } from '../accounts/actor.js'
import { changeOwnPassword, login, logout, sessionStatus } from '../accounts/session-routes.js'
import * as users from '../accounts/user-routes.js'
import type { AnswerBudget } from '../answer/answer-budget.js'
import type { StreamTimes } from '../answer/paced-answer.js'
import type { ListLinkedCards } from '../board/linked-cards.js'
import { readConsumerEvents } from '../consumers/consumer-events.js'
import { consumerMetrics } from '../consumers/consumer-metrics.js'
import * as consumers from '../consumers/consumer-routes.js'
import type { AnonymousRate } from '../events/anonymous-rate.js'
import { runCaptures, type ServedCaptures } from '../events/capture-route.js'
import type { ServedTrace } from '../events/delivery-trace.js'
import { listDeliveries } from '../events/delivery-trace-route.js'
import { streamEvents } from '../events/event-stream.js'
import { exportEvents } from '../events/export-events.js'
import { recordHistory } from '../events/history-route.js'
import { facets, getEvent, histogram, queryEvents } from '../events/read-events.js'
import {
  reconcileStatus,
  runReconciliation,
  type ServedReconciliations,
  startReconciliation,
} from '../events/reconcile-route.js'
import { recordEvents } from '../events/record-events.js'
import type { RefusedDeliveries } from '../events/refused-deliveries.js'
import { checkSourceAddress } from '../events/source-address.js'
import * as sources from '../events/source-routes.js'
import { eventStory } from '../events/story-route.js'
import * as subscriptions from '../events/subscription-routes.js'
import {
  type AcceptLargeDelivery,
  readSiteContext,
  receiveDefinedSource,
  receiveWebhook,
} from '../events/webhook-routes.js'
import { apiReference, describeApi } from '../http/openapi.js'
import { type HttpRequest, type Route, route } from '../http/route.js'
import type { Shutdown } from '../http/shutdown.js'
import type { StreamLimits } from '../http/stream-limits.js'
import { livez, metricsText, readyz } from '../metrics/probe-routes.js'
import type { ReadStorageSizes } from '../metrics/process-metrics.js'
import type { Pages } from '../pages/built-pages.js'
import { type LoginPages, requireLogin } from '../pages/login-pages.js'
import type { ReadBody, ReadJsonBody } from '../request/body.js'
import { type CopyLedger, copyLedger } from './backup-route.js'
import { listCardsOfEvent } from './cards-of-event-route.js'
import { copyPage, ledgerState, type ServedCopies } from './copy-routes.js'
import { eraseEvents } from './erase-route.js'
import { promote, refusingWhileFollowing, type ServedFollowing } from './follow-routes.js'
import { type DatabaseName, health } from './health-route.js'
import { ledgerApi, schema } from './ledger-api.js'
import type { LedgerMetrics } from './ledger-metrics.js'
import { platforms } from './platforms-route.js'
import type { ServedLedger } from './served-ledger.js'
import { stats } from './stats-route.js'
import { type VerifyEvents, verifyEvents } from './verify-route.js'

/** Webhook path of the sources that operators define. */
const DEFINED_WEBHOOKS = webhookPathOf(':name')
/** OpenTelemetry exporters append this to their configured address. */
const OTLP_LOGS = `${DEFINED_WEBHOOKS}/v1/logs`
/** Refused deliveries to these paths are listed by the name of the source. */
export const DEFINED_WEBHOOK_PATTERNS: readonly (string | undefined)[] = [DEFINED_WEBHOOKS, OTLP_LOGS]

const DEAD_LETTERS = '/api/consumers/:name/dead-letters'

interface LedgerRouteParts {
  ledger: ServedLedger
  accounts: Accounts
  program: LedgerProgram
  callers: Callers
  bodies: Bodies
  answers: Answers
  platforms: WatchedPlatforms
  deliveries: Deliveries
  copying: Copying
  storage: LedgerStorage
  listLinkedCards: ListLinkedCards
  pages: { observatory: Pages; login: LoginPages }
  metrics: LedgerMetrics
}

/** Facts about this program. */
interface LedgerProgram {
  version: string
  rootPath: string
  cookie: CookiePlace
  database: DatabaseName
  /** The events are samples. */
  isDemo: boolean
  /** The ledger's clock. */
  now: () => Micros
}

/** Who sends a request, and what that caller may do. */
interface Callers {
  authorise: Authorise
  /** @throws AppError `forbidden/origin_not_allowed` */
  refuseForeignPage: (req: HttpRequest) => void
  throttleAddress: ToAddress
  anonymousRate: AnonymousRate
  /** The actor in the account log. */
  toActor: ToActor
}

interface Bodies {
  readBody: ReadBody
  readJsonBody: ReadJsonBody
}

/** Answers that are large, or stay open. */
interface Answers {
  budget: AnswerBudget
  shutdown: Shutdown
  times: StreamTimes
  /** The places for long polls of consumers. */
  consumerPlaces: StreamLimits
}

interface WatchedPlatforms {
  /** One webhook route each. */
  adapters: readonly WebhookAdapter[]
  /** Catalogues of all sources. */
  catalogue: readonly PlatformCatalogue[]
  /** All currently valid secrets of each source. */
  secrets: Readonly<Record<PlatformSource, readonly string[]>>
  /** Refuse unverified deliveries. */
  requireVerified: boolean
  /** Origin of the chat platform's server, which its deliveries do not name. */
  chatSite: string | undefined
  /** The same for deliveries whose hook names none, if `chatSite` is not set. */
  chatFallbackSite: string | undefined
  acceptLargeDelivery: AcceptLargeDelivery
  captures: ServedCaptures
  reconciliations: ServedReconciliations
}

/** What is known of recent deliveries. */
interface Deliveries {
  refused: RefusedDeliveries
  trace: ServedTrace
}

/** Between this ledger and others. */
interface Copying {
  copies: ServedCopies
  following: ServedFollowing
}

interface LedgerStorage {
  copyTo: CopyLedger
  verify: VerifyEvents
  storageSizes: ReadStorageSizes
  lastBackup: () => number | undefined
  restoredAt: number | undefined
}

/**
 * The ledger's routes: who may call each, and its handler. The first row that matches answers, so a fixed segment must
 * come before a parameter in the same place. Below `/api/events/` every name is a dedupe key, so other routes are below
 * that key.
 *
 * Source: Event Ledger Service, "Endpoints".
 */
export function ledgerRoutes(parts: LedgerRouteParts): Route[] {
  const { ledger, accounts, program, callers, bodies, answers, pages, metrics } = parts
  const { captures, reconciliations } = parts.platforms
  const { following } = parts.copying
  const checkMayRead = (req: HttpRequest<Identity>) => callers.authorise({ method: 'GET', access: 'read' }, req)
  const checkMayWrite = (req: HttpRequest<Identity>) => callers.authorise({ method: 'GET', access: 'write' }, req)
  const reading = { ledger, ...answers, now: program.now, checkMayRead }
  const writing = { ledger, ...bodies, ...callers, metrics }
  const people = { ledger, accounts, ...bodies, ...callers }
  const sessions = { ...people, ...program }
  const observatory = requireLogin(pages.observatory.page, pages.login, mustLogIn)
  const routes: Route[] = [
    route('POST', '/api/events', 'record', recordEvents(writing)),
    route('GET', '/api/events', 'read', queryEvents(reading)),
    route('GET', '/api/events/:dedupe_key', 'read', getEvent(reading)),
    route('GET', '/api/events/:dedupe_key/story', 'read', eventStory(reading)),
    route('GET', '/api/stream', 'read', streamEvents(reading)),
    route('GET', '/api/export', 'read', exportEvents(reading)),
    route('GET', '/api/histogram', 'read', histogram(reading)),
    route('GET', '/api/facets', 'read', facets(reading)),
    route('POST', '/api/subscriptions', 'write', subscriptions.saveSubscription(writing)),
    route('POST', '/api/subscriptions/preview', 'read', subscriptions.previewSubscription(writing)),
    route('GET', '/api/subscriptions', 'read', subscriptions.listSubscriptions(writing)),
    route('GET', '/api/subscriptions/:id', 'read', subscriptions.getSubscription(writing)),
    route('DELETE', '/api/subscriptions/:id', 'write', subscriptions.deleteSubscription(writing)),
    route('GET', '/api/consumers', 'read', consumers.listConsumers(writing)),
    route('PUT', '/api/consumers/:name', 'write', consumers.saveConsumer(writing)),
    route('GET', '/api/consumers/:name', 'read', consumers.getConsumer(writing)),
    route('DELETE', '/api/consumers/:name', 'write', consumers.deleteConsumer(writing)),
    route('GET', '/api/consumers/:name/events', 'write', readConsumerEvents({ ...writing, ...answers, checkMayWrite })),
    route('POST', '/api/consumers/:name/ack', 'write', consumers.acknowledge(writing)),
    route('POST', '/api/consumers/:name/seek', 'write', consumers.seekConsumer(writing)),
    route('GET', DEAD_LETTERS, 'read', consumers.listDeadLetters(writing)),
    route('DELETE', DEAD_LETTERS, 'write', consumers.deleteDeadLetters(writing, consumers.chooseAllDeadLetters)),
    route(
      'POST',
      `${DEAD_LETTERS}/retry`,
      'write',
      consumers.retryDeadLetters(writing, consumers.chooseAllDeadLetters),
    ),
    route(
      'DELETE',
      `${DEAD_LETTERS}/:id`,
      'write',
      consumers.deleteDeadLetters(writing, consumers.chooseOneDeadLetter),
    ),
    route(
      'POST',
      `${DEAD_LETTERS}/:id/retry`,
      'write',
      consumers.retryDeadLetters(writing, consumers.chooseOneDeadLetter),
    ),
    route('GET', '/api/sources', 'admin', sources.listSources(writing)),
    route('GET', '/api/sources/:name', 'admin', sources.getSource(writing)),
    route('PUT', '/api/sources/:name', 'admin', sources.saveSource(writing)),
    route('DELETE', '/api/sources/:name', 'admin', sources.deleteSource(writing)),
    route('POST', '/api/sources/:name/remap', 'admin', sources.remapSource(writing)),
    route('POST', '/api/sources/:name/read', 'admin', sources.readSourceFeed(writing)),
    route('POST', '/api/sources/:name/test', 'admin', sources.testSavedDelivery({ ...writing, ...parts.platforms })),
    route('GET', '/api/presets', 'admin', sources.listPresets()),
    route('GET', '/api/deliveries', 'admin', listDeliveries(parts.deliveries)),
    route('POST', '/api/login', 'login', login(sessions)),
    route('POST', '/api/logout', 'logout', logout(sessions)),
    route('GET', '/api/session', 'optional_login', sessionStatus(sessions)),
    route('GET', '/api/users', 'admin', users.listUsers(people)),
    route('GET', '/api/users/log', 'admin', users.listAccountLog(people)),
    route('POST', '/api/users', 'admin', users.createUser(people)),
    route('PATCH', '/api/users/:id', 'admin', users.updateUser(people)),
    route('DELETE', '/api/users/:id', 'admin', users.deleteUser(people)),
    route('POST', '/api/users/:id/token', 'admin', users.issueToken(people, users.userInPath(1))),
    route('DELETE', '/api/users/:id/token', 'admin', users.revokeTokens(people, users.userInPath(1))),
    route('GET', '/api/users/:id/tokens', 'admin', users.listTokens(people, users.userInPath(1))),
    route('DELETE', '/api/users/:id/tokens/:token_id', 'admin', users.revokeToken(people, users.userInPath(2))),
    route('GET', '/api/users/:id/sessions', 'admin', users.listSessions(people, users.userInPath(1))),
    route('DELETE', '/api/users/:id/sessions', 'admin', users.endSessions(people, users.userInPath(1))),
    route('DELETE', '/api/users/:id/sessions/:session_id', 'admin', users.endSession(people, users.userInPath(2))),
    route('POST', '/api/me/password', 'account', changeOwnPassword(sessions)),
    route('POST', '/api/me/token', 'account', users.issueToken(people, users.ownId)),
    route('DELETE', '/api/me/token', 'account', users.revokeTokens(people, users.ownId)),
    route('GET', '/api/me/tokens', 'account', users.listTokens(people, users.ownId)),
    route('DELETE', '/api/me/tokens/:token_id', 'account', users.revokeToken(people, users.ownId)),
    route('GET', '/api/me/sessions', 'account', users.listSessions(people, users.ownId)),
    route('DELETE', '/api/me/sessions', 'account', users.endSessions(people, users.ownId)),
    route('DELETE', '/api/me/sessions/:session_id', 'account', users.endSession(people, users.ownId)),
    route('POST', '/api/captures', 'local', runCaptures({ captures, ...bodies, ...answers })),
    route('POST', '/api/reconciliations', 'local', runReconciliation({ reconciliations, ...bodies, ...answers })),
    route('GET', '/api/reconciliations', 'admin', reconcileStatus({ reconciliations })),
    route('POST', '/api/reconciliations/run', 'admin', startReconciliation({ reconciliations, ...bodies })),
    route('POST', '/api/history', 'local', recordHistory(writing)),
    route('POST', '/api/backups', 'local', copyLedger({ ...parts.storage, ...bodies })),
    route('POST', '/api/erasures', 'admin', eraseEvents(people)),
    route('POST', '/api/verify', 'local', verifyEvents(parts.storage)),
    route('POST', '/api/copy', 'copy', copyPage({ ...parts.copying, ...answers })),
    route('POST', '/api/copy/state', 'copy', ledgerState({ ...parts.copying, ...answers })),
    route('POST', '/api/promotion', 'admin', promote({ following, ...bodies })),
    route(
      'GET',
      '/api/health',
      'public',
      health({ ledger, captures, following, ...parts.storage, ...program, showPlain: pages.login.showPlain }),
    ),
    route('GET', '/api/cards', 'read', listCardsOfEvent(parts)),
    route('GET', '/api/stats', 'read', stats({ ledger, ...parts.deliveries, ...parts.storage })),
    route('GET', '/api/platforms', 'read', platforms({ ...parts.platforms, sources: ledger.sources })),
    route('GET', '/api/schema/event', 'read', schema(EventSchema)),
    route('GET', '/api/schema/subscription', 'read', schema(SubscriptionSchema)),
    route(
      'GET',
      '/api/openapi.json',
      'read',
      describeApi(() => routes, ledgerApi(program), pages.login.showPlain),
    ),
    route(
      'GET',
      '/metrics',
      'read',
      metricsText(metrics, req => consumerMetrics(ledger.consumers, req)),
    ),
    route(
      'GET',
      '/docs',
      'read',
      apiReference(() => routes, ledgerApi(program), pages.login.showPage),
    ),
    route('GET', '/livez', 'public', livez()),
    route('GET', '/readyz', 'public', readyz({ checkWritable: () => ledger.health(), ...answers })),
    ...webhookRoutes(parts),
    route('GET', '/', 'optional_login', observatory),
    route('GET', '/subscriptions', 'optional_login', observatory),
    route('GET', '/consumers', 'optional_login', observatory),
    route('GET', '/people', 'optional_login', observatory),
    route('GET', '/deliveries', 'optional_login', observatory),
    route('GET', '/sources', 'optional_login', observatory),
    route('GET', '/login', 'public', pages.login.page),
    route('GET', '/login/assets/:name', 'public', pages.login.asset),
    route('GET', '/assets/*', 'public', pages.observatory.asset),
  ]
  return refusingWhileFollowing(routes, following)
}

function webhookRoutes({ ledger, bodies, callers, metrics, platforms }: LedgerRouteParts): Route[] {
  const { adapters, secrets, requireVerified, chatSite, chatFallbackSite, acceptLargeDelivery } = platforms
  const shared = { ledger, ...bodies, ...callers, metrics, requireVerified, acceptLargeDelivery }
  const own = [
    route('GET', DEFINED_WEBHOOKS, 'public', checkSourceAddress(shared)),
    route('POST', DEFINED_WEBHOOKS, 'webhook', receiveDefinedSource(shared)),
    route('POST', OTLP_LOGS, 'webhook', receiveDefinedSource(shared, 2)),
  ]
  const ofPlatforms = adapters.map(adapter => {
    const { source, webhook_path } = adapter.catalogue
    const readContext = source === 'chat' ? readSiteContext(chatSite, chatFallbackSite) : () => ({})
    return route(
      'POST',
      webhook_path,
      'webhook',
      receiveWebhook(adapter, { ...shared, secrets: secrets[source], readContext }),
    )
  })
  return [...ofPlatforms, ...own]
}

function mustLogIn({ kind }: Identity): boolean {
  return kind === 'anonymous' || kind === 'writer'
}
