import pino from 'pino'
import type { Test } from 'tap'
import type { BoardAccess } from '../../../src/gate/access.js'
import { ANONYMOUS, type BoardIdentity } from '../../../src/gate/identity.js'
import { AppError } from '../../../src/model/app-error.js'
import type { Run } from '../../../src/model/board/run.js'
import type { StreamTimes } from '../../../src/server/answer/paced-answer.js'
import { runLog } from '../../../src/server/board/run-log-stream.js'
import {
  cancelRun,
  executorStatus,
  getRun,
  listRuns,
  pauseExecutor,
  resumeExecutor,
  startRun,
} from '../../../src/server/board/run-routes.js'
import { planShownTo } from '../../../src/server/board/shown-plan.js'
import { createHttpApp } from '../../../src/server/http/http-app.js'
import { route } from '../../../src/server/http/route.js'
import { Shutdown } from '../../../src/server/http/shutdown.js'
import { createBodyReader, createJsonReader } from '../../../src/server/request/body.js'
import { CARD, createExecutor, type RigOptions } from '../../board/executor-rig.js'

export const TOKEN = 'token-of-the-executor'
export const FROM_EXECUTOR = { 'x-board-executor-token': TOKEN }

interface ServeOptions extends RigOptions {
  streamTimes?: Partial<StreamTimes>
  checkMayRead?: () => Promise<void>
  shutdown?: Shutdown
}

/** Only the routes of runs, behind a gate that checks only the executor token. */
export async function serveRuns(t: Test, given: ServeOptions = {}) {
  const { streamTimes, checkMayRead = async () => {}, shutdown = new Shutdown(), ...options } = given
  const rig = await createExecutor(t, options)
  const { executor } = rig
  const admitExecution = async ({ executorToken }: { executorToken: string | undefined }) => {
    if (executorToken !== TOKEN) throw new AppError('forbidden', 'executor_denied', 'No.')
  }
  const executionFacts = ({ headers }: { headers: NodeJS.Dict<string | string[]> }) => {
    return { executorToken: headers['x-board-executor-token']?.toString(), address: '' }
  }
  const readJsonBody = createJsonReader(createBodyReader(1024 * 1024))
  const provesExecution = async ({ executorToken }: { executorToken: string | undefined }) => executorToken === TOKEN
  const gate = { admitExecution, provesExecution }
  const runs = { executor, planShownTo: planShownTo({ gate, executionFacts }) }
  const log = runLog({
    ...runs,
    shutdown,
    checkMayRead,
    times: { heartbeatMs: 15_000, drainMs: 30_000, ...streamTimes },
  })
  const logged: Record<string, unknown>[] = []
  const app = createHttpApp<BoardAccess, BoardIdentity>({
    routes: [
      route('POST', '/api/cards/:id/runs', 'api', startRun({ ...runs, gate, readJsonBody, executionFacts })),
      route('GET', '/api/runs', 'api', listRuns(runs)),
      route('GET', '/api/runs/:id', 'api', getRun(runs)),
      route('GET', '/api/runs/:id/log', 'api', log),
      route('POST', '/api/runs/:id/cancel', 'execute', cancelRun({ executor })),
      route('GET', '/api/executor', 'api', executorStatus(runs)),
      route('POST', '/api/executor/pause', 'execute', pauseExecutor({ executor })),
      route('POST', '/api/executor/resume', 'execute', resumeExecutor({ executor })),
    ],
    rootPath: '',
    authorise: async ({ access }, req) => {
      if (access === 'execute') await admitExecution(executionFacts(req))
    },
    anonymous: ANONYMOUS,
    tlsOnly: false,
    requestIds: () => 'request-1',
    logger: pino({ level: 'info' }, { write: line => logged.push(JSON.parse(line)) }),
    logRules: { notable: new Set<BoardAccess>(), who: () => ({}), address: () => '192.0.2.1', logsAll: false },
    shutdown,
  })
  const { port } = await app.listen('127.0.0.1', 0)
  t.teardown(() => app.close())
  const url = `http://127.0.0.1:${port}`
  const ask = async (method: string, path: string, { body, headers = {} }: Asked = {}) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
    const response = await fetch(url + path, { method, headers: { ...type, ...headers }, ...sent })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
  }
  const start = async (mode: string): Promise<Run> => {
    return (await ask('POST', `/api/cards/${CARD.id}/runs`, { body: { mode }, headers: FROM_EXECUTOR })).body
  }
  return { ...rig, url, port, ask, start, logged, close: () => app.close() }
}

export interface Asked {
  body?: unknown
  headers?: Record<string, string>
}
