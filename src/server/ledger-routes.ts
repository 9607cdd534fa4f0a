import Type from '#typebox'
import type { Accounts } from '../accounts/accounts.js'
import type { Identity } from '../accounts/identity.js'
import type { CookiePlace } from '../login/cookies.js'
import type { ToAddress } from '../login/throttle-address.js'
import { ACCOUNT_LOG_LIMITS } from '../model/accounts/account-log.js'
import { IssuedTokenSchema, NewTokenSchema } from '../model/accounts/user.js'
import { EventSchema } from '../model/events/event.js'
import type { PlatformSource } from '../model/platforms/platform-source.js'
import { CaptureRequestSchema } from '../model/subscriptions/capture.js'
import { SUBSCRIPTION_LIMITS, SubscriptionSchema } from '../model/subscriptions/subscription.js'
import type { Micros } from '../model/timestamp.js'
import type { WebhookAdapter } from '../platforms/adapter.js'
import type { PlatformCatalogue } from '../platforms/catalogue.js'
import type { Authorise } from './access.js'
import {
  AccountLogSchema,
  ChangedUserSchema,
  LoggedInSchema,
  LoginSchema,
  NewUserSchema,
  SessionSchema,
  TokenListSchema,
  UserListSchema,
} from './account-schemas.js'
import type { ToActor } from './actor.js'
import type { AnonymousRate } from './anonymous-rate.js'
import type { AnswerBudget } from './answer-budget.js'
import {
  ChatDeliverySchema,
  DeliverySchema,
  EventPageSchema,
  HealthSchema,
  HistogramSchema,
  named,
  PlatformsSchema,
  RecordedSchema,
  StatsSchema,
  SubscriptionListSchema,
  SubscriptionPreviewSchema,
  SubscriptionSavedSchema,
} from './answer-schemas.js'
import type { ReadBody } from './body.js'
import { runCaptures, type ServedCaptures } from './captures.js'
import { metricsText, platforms, schema, stats } from './descriptions.js'
import { EVENT_PARAMETERS, EVENT_STREAM_PARAMETERS, HISTOGRAM_PARAMETERS } from './event-query-params.js'
import { streamEvents } from './event-stream.js'
import { type DatabaseName, health } from './health.js'
import type { ReadJsonBody } from './json-body.js'
import { ledgerApi } from './ledger-api.js'
import type { LedgerMetrics } from './ledger-metrics.js'
import { firstPage, type LoginPages } from './login-pages.js'
import { describeApi } from './openapi.js'
import type { StreamTimes } from './paced-answer.js'
import type { Pages } from './page-files.js'
import { getEvent, histogram, queryEvents } from './read-events.js'
import { recordEvents } from './record-events.js'
import type { HttpRequest, Method, Route, RouteDoc } from './route.js'
import type { ServedLedger } from './served-ledger.js'
import { login, logout, sessionStatus } from './session-routes.js'
import type { Shutdown } from './shutdown.js'
import {
  deleteSubscription,
  getSubscription,
  listSubscriptions,
  previewSubscription,
  saveSubscription,
} from './subscriptions.js'
import {
  createUser,
  deleteUser,
  issueToken,
  listAccountLog,
  listTokens,
  listUsers,
  ownTokens,
  revokeToken,
  revokeTokens,
  tokensOfUser,
  updateUser,
} from './user-routes.js'
import { readSiteContext, receiveWebhook, type TakeLargeDelivery } from './webhooks.js'

export interface LedgerRouteParts {
  ledger: ServedLedger
  captures: ServedCaptures
  database: DatabaseName
  adapters: readonly WebhookAdapter[]
  platforms: readonly PlatformCatalogue[]
  webhookSecrets: Readonly<Record<PlatformSource, readonly string[]>>
  requireVerified: boolean
  /** Origin of the chat platform's server, which its deliveries do not name. */
  chatSite: string | undefined
  takeLargeDelivery: TakeLargeDelivery
  rootPath: string
  version: string
  /** The events are invented. */
  isDemo: boolean
  now: () => Micros
  observatory: Pages
  login: LoginPages
  readBody: ReadBody
  readJsonBody: ReadJsonBody
  accounts: Accounts
  authorise: Authorise
  /** @throws AppError `forbidden/origin_not_allowed` */
  refuseForeignPage: (req: HttpRequest) => void
  cookie: CookiePlace
  throttleAddress: ToAddress
  anonymousRate: AnonymousRate
  /** Who acts by a request, for the account log. */
  toActor: ToActor
  metrics: LedgerMetrics
  shutdown: Shutdown
  budget: AnswerBudget
  streamTimes: StreamTimes
}

/**
 * The ledger's routes: who may call what, and what it does. The first row that matches answers, so a fixed segment
 * stands before a parameter in its place.
 *
 * Source: Event Ledger Service, "Endpoints".
 */
export function ledgerRoutes(parts: LedgerRouteParts): Route[] {
  const { ledger, accounts, readBody, readJsonBody, metrics, shutdown, now, toActor, budget } = parts
  const routes: Route[] = []
  const add = (method: Method, pattern: string, access: Route['access'], handle: Route['handle'], doc: RouteDoc) => {
    routes.push({ method, pattern, access, handle, doc })
  }
  const heartbeatMs = parts.streamTimes.heartbeatMs
  const captures = runCaptures({ captures: parts.captures, readJsonBody, shutdown, heartbeatMs })
  const mayRead = (req: HttpRequest<Identity>) => parts.authorise({ method: 'GET', access: 'read' }, req)
  const stream = streamEvents({ ledger, shutdown, now, times: parts.streamTimes, mayRead, budget })

  add('POST', '/api/events', 'record', recordEvents(parts), DOCS.recordEvents)
  add('GET', '/api/events', 'read', queryEvents({ ledger, shutdown, now, mayRead, budget }), DOCS.queryEvents)
  // Below /api/events/ every name is a dedupe key, so nothing else can stand there.
  add('GET', '/api/events/:dedupe_key', 'read', getEvent(ledger, budget), DOCS.getEvent)
  add('GET', '/api/stream', 'read', stream, DOCS.streamEvents)
  add('GET', '/api/histogram', 'read', histogram(ledger, now), DOCS.histogram)
  add('POST', '/api/subscriptions', 'write', saveSubscription(ledger, readJsonBody), DOCS.saveSubscription)
  add('POST', '/api/subscriptions/preview', 'read', previewSubscription(ledger, readJsonBody), DOCS.previewSubscription)
  add('GET', '/api/subscriptions', 'read', listSubscriptions(ledger), DOCS.listSubscriptions)
  add('GET', '/api/subscriptions/:id', 'read', getSubscription(ledger), DOCS.getSubscription)
  add('DELETE', '/api/subscriptions/:id', 'write', deleteSubscription(ledger), DOCS.deleteSubscription)
  add('POST', '/api/login', 'login', login(parts), DOCS.login)
  add('POST', '/api/logout', 'logout', logout(parts), DOCS.logout)
  add('GET', '/api/session', 'anybody', sessionStatus(accounts), DOCS.session)
  add('GET', '/api/users', 'admin', listUsers(accounts), DOCS.listUsers)
  add('GET', '/api/users/log', 'admin', listAccountLog(accounts), DOCS.listAccountLog)
  add('POST', '/api/users', 'admin', createUser(accounts, readJsonBody, toActor), DOCS.createUser)
  add('PATCH', '/api/users/:id', 'admin', updateUser(accounts, readJsonBody, toActor), DOCS.updateUser)
  add('DELETE', '/api/users/:id', 'admin', deleteUser(accounts, toActor), DOCS.deleteUser)
  add(
    'POST',
    '/api/users/:id/token',
    'admin',
    issueToken({ accounts, readJsonBody, toActor }, tokensOfUser(1)),
    DOCS.issueToken,
  )
  add('DELETE', '/api/users/:id/token', 'admin', revokeTokens(accounts, tokensOfUser(1), toActor), DOCS.revokeTokens)
  add('GET', '/api/users/:id/tokens', 'admin', listTokens(accounts, tokensOfUser(1)), DOCS.listTokens)
  add(
    'DELETE',
    '/api/users/:id/tokens/:token_id',
    'admin',
    revokeToken(accounts, tokensOfUser(2), toActor),
    DOCS.revokeToken,
  )
  add('POST', '/api/me/token', 'account', issueToken({ accounts, readJsonBody, toActor }, ownTokens), DOCS.issueToken)
  add('DELETE', '/api/me/token', 'account', revokeTokens(accounts, ownTokens, toActor), DOCS.revokeTokens)
  add('GET', '/api/me/tokens', 'account', listTokens(accounts, ownTokens), DOCS.listTokens)
  add('DELETE', '/api/me/tokens/:token_id', 'account', revokeToken(accounts, ownTokens, toActor), DOCS.revokeToken)
  add('POST', '/api/captures', 'local', captures, DOCS.runCaptures)
  add('GET', '/api/health', 'public', health(ledger, parts.database, parts), DOCS.health)
  add('GET', '/api/stats', 'read', stats(ledger), DOCS.stats)
  const listed = platforms(parts.platforms, parts.webhookSecrets, { chat: parts.chatSite })
  add('GET', '/api/platforms', 'read', listed, DOCS.platforms)
  add('GET', '/api/schema/event', 'read', schema(EventSchema), DOCS.schema)
  add('GET', '/api/schema/subscription', 'read', schema(SubscriptionSchema), DOCS.schema)
  add('GET', '/api/openapi.json', 'read', describeApi(routes, ledgerApi(parts)), DOCS.openapi)
  add('GET', '/metrics', 'read', metricsText(metrics), DOCS.metrics)
  for (const adapter of parts.adapters) {
    const { source, webhook_path } = adapter.catalogue
    const receive = receiveWebhook(adapter, {
      ...{ ledger, readBody, metrics, takeLargeDelivery: parts.takeLargeDelivery },
      secrets: parts.webhookSecrets[source],
      requireVerified: parts.requireVerified,
      refuseForeignPage: parts.refuseForeignPage,
      readContext: source === 'chat' ? readSiteContext(parts.chatSite) : () => ({}),
    })
    add('POST', webhook_path, 'webhook', receive, source === 'chat' ? DOCS.chatWebhook : DOCS.webhook)
  }
  const observatory = firstPage(parts.login.pageInPlace, parts.observatory.page)
  add('GET', '/', 'anybody', observatory, DOCS.page)
  add('GET', '/subscriptions', 'anybody', observatory, DOCS.page)
  add('GET', '/people', 'anybody', observatory, DOCS.page)
  add('GET', '/login', 'public', parts.login.page, DOCS.loginPage)
  add('GET', '/login/assets/:name', 'public', parts.login.asset, DOCS.loginAsset)
  add('GET', '/assets/*', 'public', parts.observatory.asset, DOCS.asset)
  return routes
}

const AnyJson = Type.Unknown()

const NEXT = {
  name: 'next',
  description: 'Where to go after the login: a path of this server. Anything else is the first page.',
  schema: Type.String(),
}

const DOCS = {
  recordEvents: {
    summary: 'Records one event, or a batch (JSON array or NDJSON) as a whole or not at all',
    body: {
      'application/json': Type.Union([named('EventInput'), Type.Array(named('EventInput'))]),
      'application/x-ndjson': Type.String({ description: 'One event a line.' }),
    },
    answers: {
      201: { description: 'One event that was new', schema: RecordedSchema },
      200: { description: 'One event that was known, or a batch', schema: RecordedSchema },
    },
  },
  queryEvents: {
    summary: 'Events by filters and checkpoint',
    query: EVENT_PARAMETERS,
    answers: { 200: { description: 'A page and its checkpoint', schema: EventPageSchema } },
  },
  streamEvents: {
    summary: 'Events as they come, as server-sent events',
    query: EVENT_STREAM_PARAMETERS,
    headers: [
      {
        name: 'Last-Event-ID',
        description: 'Where a reader that was connected before stopped; goes before `since`.',
        schema: Type.String({ format: 'date-time' }),
      },
    ],
    answers: {
      200: {
        description: 'One message an event, its id the `captured_at`; `checkpoint` and `dropped` carry `next_since`',
        type: 'text/event-stream',
      },
    },
  },
  histogram: {
    summary: 'How many events there are over a range, by source, in equal parts of it',
    query: HISTOGRAM_PARAMETERS,
    answers: { 200: { description: 'The counts, in columns', schema: HistogramSchema } },
  },
  getEvent: { summary: 'One stored event', answers: { 200: { description: 'The event', schema: named('Event') } } },
  saveSubscription: {
    summary: 'Creates a subscription, or merges into the one with the id sent',
    body: { 'application/json': named('Subscription') },
    answers: {
      201: { description: 'Created', schema: SubscriptionSavedSchema },
      200: { description: 'Updated', schema: SubscriptionSavedSchema },
    },
  },
  previewSubscription: {
    summary: 'What a draft of a subscription would have matched in the last 7 days; stores nothing',
    body: { 'application/json': named('Subscription') },
    answers: { 200: { description: 'Counts and examples', schema: SubscriptionPreviewSchema } },
  },
  listSubscriptions: {
    summary: 'All subscriptions, or with limit or after a page of them',
    query: [
      {
        name: 'limit',
        description: `How many at most; ${SUBSCRIPTION_LIMITS.page} where only after is sent.`,
        schema: Type.Integer({ minimum: 1, maximum: SUBSCRIPTION_LIMITS.page }),
      },
      {
        name: 'after',
        description: 'The id after which the page begins: `next` of the page before.',
        schema: Type.String(),
      },
    ],
    answers: { 200: { description: 'The subscriptions', schema: SubscriptionListSchema } },
  },
  getSubscription: {
    summary: 'One subscription',
    answers: { 200: { description: 'The subscription', schema: named('Subscription') } },
  },
  deleteSubscription: {
    summary: 'Deletes a subscription; captured events stay',
    answers: { 204: { description: 'Deleted' } },
  },
  login: {
    summary: 'Begins a session in a browser, by a cookie',
    query: [NEXT],
    body: { 'application/json': LoginSchema },
    answers: { 200: { description: 'Who that is now, and where to go', schema: LoggedInSchema } },
  },
  logout: { summary: 'Ends the session of the cookie sent', answers: { 204: { description: 'Ended' } } },
  session: {
    summary: 'Who asks, and the CSRF token of a session',
    answers: { 200: { description: 'Also for nobody', schema: SessionSchema } },
  },
  listUsers: { summary: 'All users', answers: { 200: { description: 'The users', schema: UserListSchema } } },
  listAccountLog: {
    summary: 'What happened to accounts: changes of users and tokens, and logins; newest first',
    query: [
      {
        name: 'limit',
        description: `How many entries at most; ${ACCOUNT_LOG_LIMITS.defaultPage} when absent.`,
        schema: Type.Integer({ minimum: 1, maximum: ACCOUNT_LOG_LIMITS.page }),
      },
    ],
    answers: { 200: { description: 'The entries', schema: AccountLogSchema } },
  },
  createUser: {
    summary: 'Creates a user',
    body: { 'application/json': NewUserSchema },
    answers: { 201: { description: 'Created', schema: named('User') } },
  },
  updateUser: {
    summary: 'Changes role, enabled or password; what is not sent stays',
    body: { 'application/json': ChangedUserSchema },
    answers: { 200: { description: 'As it is now', schema: named('User') } },
  },
  deleteUser: {
    summary: 'Deletes a user, its sessions and tokens; its subscriptions stay',
    answers: { 204: { description: 'Deleted' } },
  },
  issueToken: {
    summary: 'Issues an API token, which this answer alone shows; the body may be absent',
    body: { 'application/json': NewTokenSchema },
    answers: { 201: { description: 'Issued', schema: IssuedTokenSchema } },
  },
  listTokens: {
    summary: 'The API tokens of a user, without the tokens themselves',
    answers: { 200: { description: 'The tokens', schema: TokenListSchema } },
  },
  revokeToken: { summary: 'Revokes one API token', answers: { 204: { description: 'Revoked' } } },
  revokeTokens: { summary: 'Revokes every API token of a user', answers: { 204: { description: 'Revoked' } } },
  runCaptures: {
    summary: 'Captures watches; for commands on this machine, over the socket of the process that owns the ledger',
    body: { 'application/json': CaptureRequestSchema },
    answers: {
      200: {
        description: 'Lines of JSON: `progress` as it goes, at last `result` or `failure`',
        type: 'application/x-ndjson',
      },
    },
  },
  health: {
    summary: 'Whether the ledger can take events, and which database it is',
    answers: {
      200: { description: 'It can', schema: HealthSchema },
      503: { description: 'It cannot', schema: HealthSchema },
    },
  },
  stats: { summary: 'Counts', answers: { 200: { description: 'The counts', schema: StatsSchema } } },
  platforms: {
    summary: 'What each source can send and how to watch it',
    answers: { 200: { description: 'The catalogue', schema: PlatformsSchema } },
  },
  schema: {
    summary: 'The JSON Schema that checks what is sent',
    answers: { 200: { description: 'The schema', schema: AnyJson } },
  },
  openapi: { summary: 'This description', answers: { 200: { description: 'OpenAPI 3.1', schema: AnyJson } } },
  metrics: {
    summary: 'Metrics for Prometheus',
    answers: { 200: { description: 'Prometheus text format', type: 'text/plain' } },
  },
  webhook: {
    summary: "Receives a platform's deliveries",
    body: { 'application/json': AnyJson, 'application/x-www-form-urlencoded': AnyJson },
    answers: { 200: { description: 'What became of it', schema: DeliverySchema } },
  },
  chatWebhook: {
    summary: "Receives the chat platform's deliveries",
    query: [
      {
        name: 'site',
        description: 'Address of the chat server, such as https://chat.example.org; EVENT_CHAT_URL goes before it.',
        schema: Type.String({ format: 'uri' }),
      },
    ],
    body: { 'application/json': AnyJson, 'application/x-www-form-urlencoded': AnyJson },
    answers: { 200: { description: 'What became of it', schema: ChatDeliverySchema } },
  },
  page: {
    summary: 'The observatory; the login page for whoever must log in first',
    answers: { 200: { description: 'A page for people', type: 'text/html' } },
  },
  loginPage: {
    summary: 'Login page',
    query: [NEXT],
    answers: { 200: { description: 'A page for people', type: 'text/html' } },
  },
  loginAsset: { summary: 'A file of the login page', answers: { 200: { description: 'The file', type: '*/*' } } },
  asset: { summary: 'A file of the observatory', answers: { 200: { description: 'The file', type: '*/*' } } },
} satisfies Record<string, RouteDoc>
