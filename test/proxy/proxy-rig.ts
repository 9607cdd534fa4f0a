import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import pino from 'pino'
import type { Test } from 'tap'
import { ANONYMOUS, type BoardIdentity } from '../../src/gate/identity.js'
import { Backends } from '../../src/proxy/backends.js'
import type { SocketAddress } from '../../src/proxy/own-address.js'
import { backendRoutes, PROXY_TIMES, type ProxyTimes } from '../../src/server/board/backend-routes.js'
import { createHttpApp } from '../../src/server/http/http-app.js'
import { Shutdown } from '../../src/server/http/shutdown.js'
import { testFolder } from '../support/test-folder.js'

export const KEY = 'key-of-the-other-board'

interface ProxyRig {
  port: number
  folder: string
  log: Record<string, unknown>[]
  /** Messages about the files. */
  warnings: string[]
  close(): Promise<void>
  /** Writes `backends.json`. */
  configure(profiles: Record<string, unknown>): void
  /** Sends bytes as they are and reads until the server closes, or cuts the connection. @param onText what came so far */
  raw(text: string | Buffer, onText?: (text: string) => void): Promise<string>
  /** One request on a connection of its own. */
  ask(path: string, lines?: readonly string[], options?: AskOptions): Promise<string>
}

interface AskOptions {
  method?: string
  body?: string
  /** Called with what came so far. */
  onText?: (text: string) => void
}

interface RigOptions {
  rootPath?: string
  times?: Partial<ProxyTimes>
  /** In addition to the board. */
  listeners?: readonly SocketAddress[]
  host?: string
  checkMayRead?: () => Promise<void>
  shutdown?: Shutdown
}

/** A board that only forwards to others, open to every caller: the gate decides who may pass. */
export async function proxyRig(t: Test, options: RigOptions = {}): Promise<ProxyRig> {
  const { rootPath = '', times = {}, listeners = [], host = '127.0.0.1', checkMayRead = async () => {} } = options
  const folder = testFolder(t)
  const log: Record<string, unknown>[] = []
  const warnings: string[] = []
  const file = join(folder, 'backends.json')
  const own: SocketAddress[] = [...listeners]
  const { shutdown = new Shutdown() } = options
  let requests = 0
  const app = createHttpApp<string, BoardIdentity>({
    routes: backendRoutes({
      backends: new Backends({ file, nowMs: Date.now, warn: sentence => warnings.push(sentence) }),
      gate: { admitExecution: async () => {} },
      executionFacts: () => ({ executorToken: undefined, address: '' }),
      checkMayRead,
      rootPath,
      ownListeners: () => own,
      shutdown,
      proxyTimes: { ...PROXY_TIMES, trustMs: 0, ...times },
    }),
    rootPath,
    authorise: async () => {},
    anonymous: ANONYMOUS,
    tlsOnly: false,
    requestIds: () => `request-${++requests}`,
    logger: pino({ level: 'debug', base: null }, { write: line => log.push(JSON.parse(line)) }),
    logRules: { notable: new Set(), who: () => ({}), address: () => '192.0.2.1', logsAll: false },
    shutdown,
  })
  const { address, port } = await app.listen(host, 0)
  own.push({ address, port })
  t.teardown(() => app.close())
  const raw: ProxyRig['raw'] = async (text, onText) => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    socket.on('data', chunk => {
      chunks.push(chunk)
      if (onText) onText(Buffer.concat(chunks).toString('latin1'))
    })
    // A cut connection ends like any other here; the received bytes show the difference.
    socket.on('error', () => socket.destroy())
    socket.write(text)
    await new Promise(resolve => socket.once('close', resolve))
    return Buffer.concat(chunks).toString('latin1')
  }
  return {
    port,
    folder,
    log,
    warnings,
    close: () => app.close(),
    configure: profiles => {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'key'), `${KEY}\n`, { mode: 0o600 })
      writeFileSync(file, JSON.stringify({ profiles }), { mode: 0o600 })
    },
    raw,
    ask: (path, lines = [], { method = 'GET', body = '', onText } = {}) => {
      const head = [`${method} ${path} HTTP/1.1`, 'Host: localhost', ...lines, 'Connection: close']
      return raw(`${head.join('\r\n')}\r\n\r\n${body}`, onText)
    },
  }
}

export interface Seen {
  method: string
  url: string
  /** Names and values in turn, as sent. */
  rawHeaders: readonly string[]
  body: string
}

export interface HttpBackend {
  port: number
  /** A profile that leads here, with a key. */
  profile: { url: string; api_key_file: string }
  seen: Seen[]
}

/** A backend that speaks HTTP, and answers `{"ok":true}` by default. It records requests once they are complete. */
export async function httpBackend(t: Test, answer: RequestListener = answerOk): Promise<HttpBackend> {
  const seen: Seen[] = []
  const server = createHttpServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', chunk => chunks.push(chunk))
    req.on('end', () => {
      const { method = '', url = '', rawHeaders } = req
      seen.push({ method, url, rawHeaders, body: Buffer.concat(chunks).toString() })
    })
    answer(req, res)
  })
  const port = await started(t, server)
  return { port, profile: { url: `http://127.0.0.1:${port}`, api_key_file: 'key' }, seen }
}

/** A backend that is nothing but a socket. */
export async function rawBackend(t: Test, serve: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => sockets.delete(socket))
    serve(socket)
  })
  const port = await started(t, server)
  return { port, profile: { url: `http://127.0.0.1:${port}`, api_key_file: 'key' }, sockets }
}

/** One that answers these bytes to every request, once it has the head of a request. */
export function bytesBackend(t: Test, bytes: string | Buffer, then: (socket: Socket) => void = () => {}) {
  return rawBackend(t, socket => {
    socket.once('data', () => socket.write(bytes, () => then(socket)))
  })
}

const answerOk: RequestListener = (req, res) => {
  req.resume()
  req.on('end', () => {
    res.setHeader('content-type', 'application/json')
    res.end('{"ok":true}')
  })
}

async function started(t: Test, server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return (server.address() as AddressInfo).port
}

/** The header lines of an answer, in lower case, without the first. */
export function headersOf(answer: string): Map<string, string> {
  const [head = ''] = answer.split('\r\n\r\n', 1)
  const lines = head.split('\r\n').slice(1)
  return new Map(
    lines.map(line => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
}

export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)
}

/** What follows the head, chunks as they are. */
export function bodyOf(answer: string): string {
  return answer.slice(answer.indexOf('\r\n\r\n') + 4)
}
