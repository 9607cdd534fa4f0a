import Type from '#typebox'
import type { Executor } from '../../board/executor.js'
import type { BoardAccess } from '../../gate/access.js'
import type { Gate } from '../../gate/gate.js'
import type { CookiePlace } from '../../login/cookies.js'
import type { ToAddress } from '../../login/throttle-address.js'
import type { StreamTimes } from '../answer/paced-answer.js'
import { json } from '../answer/reply.js'
import { describeApi } from '../http/openapi.js'
import type { Method, RouteDoc } from '../http/route.js'
import type { Shutdown } from '../http/shutdown.js'
import type { Pages } from '../pages/built-pages.js'
import type { ReadJsonBody } from '../request/json-body.js'
import { type AuthPages, behindLogin } from './auth-assets.js'
import { backendRoutes } from './backend-routes.js'
import { BACKUP_DOC, type CopyBoardDatabase, makeBackup } from './backup-route.js'
import { boardApi } from './board-api.js'
import type { BoardHandler, BoardRequest, BoardRoute } from './board-route.js'
import { CARD_DOCS, createCard, deleteCard, getCard, listCards, type ServedCards, updateCard } from './card-routes.js'
import { factsOf } from './gate-facts.js'
import type { ProxyParts } from './proxy.js'
import { runLog } from './run-log-stream.js'
import {
  cancelRun,
  executorStatus,
  getRun,
  listRuns,
  pauseExecutor,
  RUN_DOCS,
  resumeExecutor,
  startRun,
} from './run-routes.js'
import { authStatus, login, logout, sessionStatus } from './session-routes.js'
import { planShownTo } from './shown-plan.js'

export interface BoardRouteParts extends Omit<ProxyParts, 'executionFacts' | 'mayRead'> {
  gate: Gate
  cards: ServedCards
  executor: Executor
  copy: CopyBoardDatabase
  version: string
  page: Pages
  auth: AuthPages
  readJsonBody: ReadJsonBody
  cookie: CookiePlace
  throttleAddress: ToAddress
  shutdown: Shutdown
  streamTimes: StreamTimes
}

/**
 * The board's routes: who may call what, and what it does. The first row that matches answers.
 *
 * Source: Board Access Gate, "Endpoints"; decisions on the board, section 8.
 */
export function boardRoutes(parts: BoardRouteParts): BoardRoute[] {
  const { gate, cards, executor, readJsonBody, shutdown, throttleAddress, auth, page } = parts
  const routes: BoardRoute[] = []
  const add = (method: Method, pattern: string, access: BoardAccess, handle: BoardHandler, doc: RouteDoc) => {
    routes.push({ method, pattern, access, handle, doc })
  }
  const executionFacts = (req: BoardRequest) => factsOf(req, 'execute', throttleAddress)
  const mayRead = async (req: BoardRequest) => {
    await gate.admit({ ...factsOf(req, 'api', throttleAddress), method: 'GET' })
  }
  const runs = { executor, planShownTo: planShownTo({ gate, executionFacts }) }
  const log = runLog({ ...runs, shutdown, times: parts.streamTimes, mayRead })

  add('POST', '/api/login', 'login', login(parts), DOCS.login)
  add('GET', '/api/session', 'anybody', sessionStatus(), DOCS.session)
  add('POST', '/api/logout', 'logout', logout(parts), DOCS.logout)
  add('GET', '/api/auth', 'anybody', authStatus(gate), DOCS.auth)
  add('GET', '/api/cards', 'api', listCards(cards), CARD_DOCS.listCards)
  add('POST', '/api/cards', 'api', createCard(cards, readJsonBody), CARD_DOCS.createCard)
  add('GET', '/api/cards/:id', 'api', getCard(cards), CARD_DOCS.getCard)
  add('PATCH', '/api/cards/:id', 'api', updateCard(cards, readJsonBody), CARD_DOCS.updateCard)
  add('DELETE', '/api/cards/:id', 'api', deleteCard(cards), CARD_DOCS.deleteCard)
  const start = startRun({ ...runs, gate, readJsonBody, executionFacts })
  add('POST', '/api/cards/:id/runs', 'api', start, RUN_DOCS.startRun)
  add('GET', '/api/runs', 'api', listRuns(runs), RUN_DOCS.listRuns)
  add('GET', '/api/runs/:id', 'api', getRun(runs), RUN_DOCS.getRun)
  add('GET', '/api/runs/:id/log', 'api', log, RUN_DOCS.runLog)
  add('POST', '/api/runs/:id/cancel', 'execute', cancelRun(executor), RUN_DOCS.cancelRun)
  add('GET', '/api/executor', 'api', executorStatus(runs), RUN_DOCS.executorStatus)
  add('POST', '/api/executor/pause', 'execute', pauseExecutor(executor), RUN_DOCS.pauseExecutor)
  add('POST', '/api/executor/resume', 'execute', resumeExecutor(executor), RUN_DOCS.resumeExecutor)
  routes.push(...backendRoutes({ ...parts, executionFacts, mayRead }))
  add('POST', '/api/backups', 'local', makeBackup(parts.copy, readJsonBody), BACKUP_DOC)
  add('GET', '/api/health', 'api', health(parts.version), DOCS.health)
  add('GET', '/api/openapi.json', 'api', describeApi(routes, boardApi(parts)), DOCS.openapi)
  add('GET', '/auth-assets/:file', 'public', auth.asset, DOCS.authAsset)
  add('GET', '/assets/*', 'public', page.asset, DOCS.asset)
  const board = behindLogin(gate, auth.loginPage, page.page)
  add('GET', '/', 'anybody', board, DOCS.page)
  add('GET', '/runs', 'anybody', board, DOCS.page)
  return routes
}

/** `GET /api/health` */
function health(version: string): BoardHandler {
  return () => json(200, { status: 'ok', version })
}

const SessionSchema = Type.Object({
  authenticated: Type.Boolean(),
  csrf_token: Type.Union([Type.String(), Type.Null()]),
})

const DOCS = {
  login: {
    summary: 'Logs in with the shared password, and with the username where one is configured',
    body: {
      'application/json': Type.Object({
        password: Type.String(),
        username: Type.Optional(Type.String({ description: '`account` is the same.' })),
      }),
    },
    answers: { 200: { description: 'Logged in; the cookie is set', schema: SessionSchema } },
  },
  session: {
    summary: 'Whether the cookie is that of a live session, and its CSRF token',
    answers: { 200: { description: 'As it stands', schema: SessionSchema } },
  },
  logout: {
    summary: 'Ends the session of the cookie',
    answers: { 200: { description: 'Ended; the cookie is cleared', schema: SessionSchema } },
  },
  auth: {
    summary: 'How one gets in here',
    answers: {
      200: {
        description: 'Four answers',
        schema: Type.Object({
          enabled: Type.Boolean({ description: 'There is a password to log in with.' }),
          authenticated: Type.Boolean({ description: 'Whoever asks is in already.' }),
          username_required: Type.Boolean(),
          api_token_enabled: Type.Boolean({ description: 'There is an API key.' }),
        }),
      },
    },
  },
  health: {
    summary: 'Whether it answers, and which version it is',
    answers: {
      200: { description: 'It does', schema: Type.Object({ status: Type.String(), version: Type.String() }) },
    },
  },
  openapi: {
    summary: 'This API, as OpenAPI 3.1',
    answers: { 200: { description: 'The document', schema: Type.Object({ openapi: Type.String() }) } },
  },
  authAsset: {
    summary: 'Style sheet and script of the login page',
    answers: { 200: { description: 'The file', type: 'text/css' } },
  },
  asset: { summary: 'What the page loads', answers: { 200: { description: 'The file', type: 'text/javascript' } } },
  page: { summary: 'The board, or its login page', answers: { 200: { description: 'HTML', type: 'text/html' } } },
} satisfies Record<string, RouteDoc>
