import Type from '#typebox'
import type { Gate } from '../../gate/gate.js'
import type { BoardIdentity } from '../../gate/identity.js'
import type { StreamTimes } from '../answer/paced-answer.js'
import { json } from '../answer/reply.js'
import { apiReference, describeApi } from '../http/openapi.js'
import { documented, route } from '../http/route.js'
import { livez, metricsText, readyz } from '../metrics/probe-routes.js'
import type { Pages } from '../pages/built-pages.js'
import { type LoginPages, requireLogin } from '../pages/login-pages.js'
import type { ShowPlainPage } from '../pages/plain-pages.js'
import { backendRoutes, type ProxyParts } from './backend-routes.js'
import { type BackupRouteParts, makeBackup } from './backup-route.js'
import { boardApi } from './board-api.js'
import type { BoardMetrics } from './board-metrics.js'
import type { BoardEndpoint, BoardRequest, BoardRoute } from './board-route.js'
import {
  type CardRouteParts,
  createCard,
  deleteCard,
  getCard,
  type LinkedEventParts,
  listCardHistory,
  listCards,
  listEventsOfCard,
  updateCard,
} from './card-routes.js'
import { factsOf } from './gate-facts.js'
import { runLog } from './run-log-stream.js'
import * as runs from './run-routes.js'
import { authStatus, login, logout, type SessionRouteParts, sessionStatus } from './session-routes.js'
import { planShownTo } from './shown-plan.js'

/** The location of the board. */
export interface BoardDatabaseName {
  /** Folder of its files, or the address of its database without a password. */
  database: string
  engine: 'sqlite' | 'postgres'
}

interface BoardRouteParts
  extends CardRouteParts,
    BackupRouteParts,
    LinkedEventParts,
    SessionRouteParts,
    Pick<runs.StartRunParts, 'executor'>,
    Omit<ProxyParts, 'gate' | 'executionFacts' | 'checkMayRead'> {
  gate: Gate
  version: string
  database: BoardDatabaseName
  metrics: BoardMetrics
  checkWritable: () => Promise<void>
  pages: { board: Pages; login: LoginPages }
  streamTimes: StreamTimes
}

/**
 * The board's routes: who may call each, and its handler. The first row that matches answers.
 *
 * Source: Board Access Gate, "Endpoints"; decisions on the board, section 8.
 */
export function boardRoutes(parts: BoardRouteParts): BoardRoute[] {
  const { gate, shutdown, throttleAddress, pages } = parts
  const executionFacts = (req: BoardRequest) => factsOf(req, 'execute', throttleAddress)
  const checkMayRead = async (req: BoardRequest) => {
    await gate.admit({ ...factsOf(req, 'api', throttleAddress), method: 'GET' })
  }
  const running = { ...parts, executionFacts, planShownTo: planShownTo({ gate, executionFacts }) }
  const board = requireLogin<BoardIdentity>(pages.board.page, pages.login, identity => gate.asksLogin(identity))
  const routes: BoardRoute[] = [
    route('POST', '/api/login', 'login', login(parts)),
    route('GET', '/api/session', 'optional_login', sessionStatus()),
    route('POST', '/api/logout', 'logout', logout(parts)),
    route('GET', '/api/auth', 'optional_login', authStatus(parts)),
    route('GET', '/api/cards', 'api', listCards(parts)),
    route('POST', '/api/cards', 'api', createCard(parts)),
    route('GET', '/api/cards/:id', 'api', getCard(parts)),
    route('PATCH', '/api/cards/:id', 'api', updateCard(parts)),
    route('DELETE', '/api/cards/:id', 'api', deleteCard(parts)),
    route('GET', '/api/cards/:id/events', 'api', listEventsOfCard(parts)),
    route('GET', '/api/cards/:id/history', 'api', listCardHistory(parts)),
    route('POST', '/api/cards/:id/runs', 'api', runs.startRun(running)),
    route('GET', '/api/runs', 'api', runs.listRuns(running)),
    route('GET', '/api/runs/:id', 'api', runs.getRun(running)),
    route('GET', '/api/runs/:id/log', 'api', runLog({ ...running, shutdown, times: parts.streamTimes, checkMayRead })),
    route('POST', '/api/runs/:id/cancel', 'execute', runs.cancelRun(running)),
    route('GET', '/api/executor', 'api', runs.executorStatus(running)),
    route('POST', '/api/executor/pause', 'execute', runs.pauseExecutor(running)),
    route('POST', '/api/executor/resume', 'execute', runs.resumeExecutor(running)),
    ...backendRoutes({ ...parts, executionFacts, checkMayRead }),
    route('POST', '/api/backups', 'local', makeBackup(parts)),
    route('GET', '/api/health', 'api', health(parts, pages.login.showPlain)),
    route(
      'GET',
      '/api/openapi.json',
      'api',
      describeApi(() => routes, boardApi(parts), pages.login.showPlain),
    ),
    route(
      'GET',
      '/docs',
      'api',
      apiReference(() => routes, boardApi(parts), pages.login.showPage),
    ),
    route('GET', '/metrics', 'api', metricsText(parts.metrics)),
    route('GET', '/livez', 'public', livez()),
    route('GET', '/readyz', 'public', readyz(parts)),
    route('GET', '/auth-assets/:file', 'public', pages.login.asset),
    route('GET', '/assets/*', 'public', pages.board.asset),
    route('GET', '/', 'optional_login', board),
    route('GET', '/runs', 'optional_login', board),
  ]
  return routes
}

/** `GET /api/health` */
function health(
  { version, database: { database, engine } }: Pick<BoardRouteParts, 'version' | 'database'>,
  showPlain: ShowPlainPage,
): BoardEndpoint {
  const page = { status: 200, title: 'The board answers', text: `Version ${version}.` }
  const known = { status: 'ok', version, database, engine }
  return documented(HEALTH_DOC, req => showPlain(req, page) ?? json(200, known))
}

const HEALTH_DOC = {
  summary: 'Whether the board answers, and its version',
  description: 'For monitors; it asks for a login as all routes of the board do.',
  answers: {
    200: {
      description: 'It does',
      schema: Type.Object({
        status: Type.String(),
        version: Type.String(),
        database: Type.String({
          description: 'Folder of its files, or the address of its database, without a password.',
        }),
        engine: Type.Enum(['sqlite', 'postgres']),
      }),
    },
  },
}
