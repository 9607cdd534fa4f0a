import { once } from 'node:events'
import { connect } from 'node:net'
import pino from 'pino'
import type { Test } from 'tap'
import type { BoardAccess } from '../../../src/gate/access.js'
import { ANONYMOUS, type BoardIdentity } from '../../../src/gate/identity.js'
import { createThrottleAddress } from '../../../src/login/caller-address.js'
import type { BoardSecrets } from '../../../src/model/board/board-secrets.js'
import { json } from '../../../src/server/answer/reply.js'
import { boardLoginPages } from '../../../src/server/board/board-login-pages.js'
import type { BoardRoute } from '../../../src/server/board/board-route.js'
import { factsOf } from '../../../src/server/board/gate-facts.js'
import { authStatus, boardCookie, login, logout, sessionStatus } from '../../../src/server/board/session-routes.js'
import { createHttpApp } from '../../../src/server/http/http-app.js'
import { documented, METHODS, route } from '../../../src/server/http/route.js'
import { Shutdown } from '../../../src/server/http/shutdown.js'
import { requireLogin } from '../../../src/server/pages/login-pages.js'
import { createBodyReader, createJsonReader } from '../../../src/server/request/body.js'
import { type GateOptionsOfTest, GateRig, PASSWORD } from '../../gate/gate-rig.js'
import { type RawAnswer, type RawRequest, sendRaw, valuesOf } from '../closed-ledger.js'

interface GateServerOptions {
  rig?: GateRig
  secrets?: BoardSecrets
  settings?: GateOptionsOfTest
  rootPath?: string
  cookieSecure?: boolean
  trustedProxies?: readonly string[]
}

/** A browser that has logged in. */
interface Browser {
  cookie: string
  csrfToken: string
  /** What it sends with a write. */
  write: Record<string, string>
}

interface GateServer {
  rig: GateRig
  port: number
  log: string[]
  /** One request on a connection of its own. `/api/things` and `/api/execution` answer with who came through. */
  send(path: string, request?: RawRequest): Promise<RawAnswer>
  /** Bytes as they are, until the server closes. */
  raw(text: string): Promise<string>
  logIn(headers?: Record<string, string>): Promise<Browser>
}

/** Serves the session routes over HTTP, and a route behind the gate that returns the identity of the caller. */
export async function serveGate(t: Test, options: GateServerOptions = {}): Promise<GateServer> {
  const { rootPath = '', cookieSecure = false, trustedProxies = [], settings = {} } = options
  const rig = options.rig ?? GateRig.open(t, options.secrets)
  const gate = rig.start(settings)
  const throttleAddress = createThrottleAddress(trustedProxies)
  const parts = {
    gate,
    throttleAddress,
    cookie: boardCookie(cookieSecure),
    readJsonBody: createJsonReader(createBodyReader(1024)),
  }
  const look = { palette: 'forest', layout: 'card', appearance: 'dark' } as const
  const asksUsername = settings.username !== undefined
  const pages = boardLoginPages({ rootPath, look, asksUsername })
  const doc = { summary: '', description: '', answers: {} }
  const shell = documented<BoardIdentity>(doc, () => {
    return { status: 200, type: 'text/html', page: true, body: 'the page shell' }
  })
  const who = documented<BoardIdentity>(doc, req => json(200, { kind: req.identity.kind }))
  const routes: BoardRoute[] = [
    route('POST', '/api/login', 'login', login(parts)),
    route('POST', '/api/logout', 'logout', logout(parts)),
    route('GET', '/api/session', 'optional_login', sessionStatus()),
    route('GET', '/api/auth', 'optional_login', authStatus(parts)),
    ...METHODS.map(method => route(method, '/api/things', 'api' as const, who)),
    route('POST', '/api/execution', 'execute', who),
    route('GET', '/auth-assets/:file', 'public', pages.asset),
    route(
      'GET',
      '/',
      'optional_login',
      requireLogin(shell, pages, identity => gate.asksLogin(identity)),
    ),
  ]

  const log: string[] = []
  let requests = 0
  const app = createHttpApp<BoardAccess, BoardIdentity>({
    routes,
    rootPath,
    authorise: async ({ access }, req) => {
      req.identity = await gate.admit(factsOf(req, access, throttleAddress))
    },
    anonymous: ANONYMOUS,
    tlsOnly: cookieSecure,
    requestIds: () => `request-${++requests}`,
    logger: pino({ level: 'debug', base: null }, { write: line => log.push(line) }),
    logRules: {
      notable: new Set(['login']),
      who: identity => ({ identity: identity.kind }),
      address: () => '192.0.2.1',
      logsAll: false,
    },
    shutdown: new Shutdown(),
  })
  const { port } = await app.listen('127.0.0.1', 0)
  t.teardown(() => app.close())

  const raw = async (text: string) => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    socket.on('data', chunk => chunks.push(chunk))
    socket.write(text, 'latin1')
    await once(socket, 'close')
    return Buffer.concat(chunks).toString()
  }
  const send = (path: string, request?: RawRequest) => sendRaw({ port, raw }, path, request)
  const logIn = async (headers: Record<string, string> = {}): Promise<Browser> => {
    const body = { password: PASSWORD, ...(asksUsername ? { username: settings.username } : {}) }
    const answer = await send(`${rootPath}/api/login`, { method: 'POST', headers, body })
    t.equal(answer.status, 200, 'logged in')
    const cookie = valuesOf(answer.headers, 'set-cookie')[0]?.split(';', 1)[0] ?? ''
    const csrfToken = String(answer.body.csrf_token)
    const write = { Cookie: cookie, Origin: `http://127.0.0.1:${port}`, 'X-CSRF-Token': csrfToken }
    return { cookie, csrfToken, write }
  }
  return { rig, port, log, send, raw, logIn }
}
