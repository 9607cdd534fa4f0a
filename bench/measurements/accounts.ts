import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bench } from '../bench.js'
import type { Figure } from '../figure.js'
import { batchPlan } from '../ledger-calls.js'
import type { LoadPlan } from '../load-plan.js'
import { accountMemory, prepareLoad, type RunningServer, runLoad, startLedger } from '../programs.js'
import { ratesInTurn } from '../rates-in-turn.js'

const CONNECTIONS = 64
const EVENTS = 1_000
const PATH = '/api/events?limit=1'
const PARALLEL_LOGINS = 32
const LOGINS_MEASURED_MS = 10_000
const USER = { username: 'ada', password: 'correct horse battery staple' }

/** The cost of a session or API token for each request, and of logins for all other callers. */
export async function measureAccounts(bench: Bench): Promise<Figure[]> {
  const { workspace, progress } = bench
  const open = await startFilled(bench)
  const closed = await startFilled(bench, USER)
  const session = await logIn(closed)
  const token = await issueToken(closed, session)
  const rates = await ratesInTurn(bench, CONNECTIONS, [
    { how: 'open', server: open, path: PATH, headers: {} },
    { how: 'by an API token', server: closed, path: PATH, headers: { Authorization: `Bearer ${token}` } },
    { how: 'by a session', server: closed, path: PATH, headers: { Cookie: session.cookie } },
  ])
  const [openRate = 0, tokenRate = 0, sessionRate = 0] = rates
  await open.stop()
  progress(`other requests during ${PARALLEL_LOGINS} simultaneous logins`)
  const slowest = await slowestDuringLogins(bench, closed, session.cookie)
  await closed.stop()
  progress('memory of sessions and of the login throttle')
  const memory = await accountMemory(workspace)

  const checked = (how: string, value: number): Figure => ({
    what: `GET ${PATH} ${how}, ${CONNECTIONS} connections`,
    value,
    unit: 'requests/s',
    yardstick: { what: 'open', value: openRate, unit: 'requests/s' },
    goal: { atLeastTimes: 0.85 },
  })
  const bounded = (what: string, { atBound, beyond }: { atBound: number; beyond: number }): Figure => ({
    what,
    value: beyond / 1e6,
    unit: 'MB',
    yardstick: { what: 'when the bound was reached', value: atBound / 1e6, unit: 'MB' },
    goal: { within: 0.25 },
  })
  return [
    checked('by an API token', tokenRate),
    checked('by a session', sessionRate),
    {
      what: `GET during ${PARALLEL_LOGINS} simultaneous logins: the slowest`,
      value: slowest,
      unit: 'ms',
      goal: { atMost: 100 },
    },
    bounded('sessions after 20 times as many as there may be: memory', memory.sessions),
    bounded('login throttle after 20 times as many keys: memory', memory.throttle),
  ]
}

/** A server with a few events, and a first admin if one is given. */
async function startFilled({ workspace }: Bench, admin?: typeof USER): Promise<RunningServer> {
  const folder = await workspace.folder('accounts')
  const settings = admin ? await bootstrapSettings(folder, admin) : {}
  const server = await startLedger(workspace, folder, settings)
  await runLoad(workspace, batchPlan(server.port, { first: 0, events: EVENTS }))
  return server
}

async function bootstrapSettings(folder: string, { username, password }: typeof USER): Promise<Record<string, string>> {
  const file = join(folder, 'password')
  await writeFile(file, password, { mode: 0o600 })
  return { EVENT_BOOTSTRAP_USERNAME: username, EVENT_BOOTSTRAP_PASSWORD_FILE: file }
}

function readPlan({ port }: RunningServer, headers: Record<string, string>) {
  return { port, requests: 10_000_000, prepare: 1, work: { kind: 'reads', paths: [PATH], headers } } as const
}

interface BrowserSession {
  cookie: string
  csrf: string
}

async function logIn({ port }: RunningServer): Promise<BrowserSession> {
  const answer = await call(port, '/api/login', {}, USER)
  const { csrf_token } = (await answer.json()) as { csrf_token: string }
  return { cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '', csrf: csrf_token }
}

async function issueToken({ port }: RunningServer, { cookie, csrf }: BrowserSession): Promise<string> {
  const answer = await call(port, '/api/me/token', { cookie, 'x-csrf-token': csrf })
  return ((await answer.json()) as { token: string }).token
}

async function call(port: number, path: string, headers: Record<string, string>, body?: object): Promise<Response> {
  const type = body ? { 'content-type': 'application/json' } : {}
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { ...type, ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!answer.ok) throw new Error(`POST ${path} was answered with ${answer.status}.`)
  return answer
}

/** The slowest answer during logins. Some logins are refused with a time to retry, which keeps the others fast. */
async function slowestDuringLogins({ workspace }: Bench, server: RunningServer, cookie: string): Promise<number> {
  const bounds = { warmupMs: 500, measureMs: LOGINS_MEASURED_MS }
  const reading = await prepareLoad(workspace, {
    ...readPlan(server, { Cookie: cookie }),
    ...bounds,
    connections: 1,
    pauseMs: 2,
  })
  const logins: LoadPlan = {
    ...bounds,
    port: server.port,
    connections: PARALLEL_LOGINS,
    requests: 10_000_000,
    prepare: 1,
    work: { kind: 'logins', ...USER },
    mayRefuse: true,
  }
  const loggingIn = await prepareLoad(workspace, logins)
  const [read, loggedIn] = await Promise.all([reading.run(), loggingIn.run()])
  if (loggedIn.answered === 0) throw new Error('No login succeeded.')
  return read.times.max
}
