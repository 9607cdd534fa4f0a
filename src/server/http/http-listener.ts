import { chmodSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo, ListenOptions, Socket } from 'node:net'
import type { Logger } from 'pino'
import { AppError } from '../../model/app-error.js'
import { type Problem, problemReply } from '../answer/problem.js'
import { apiHeaders } from '../answer/reply.js'
import { HEADER_LIMITS } from '../request/request-form.js'
import { Connections, type ConnectionUse, isHeld } from './connections.js'
import type { HandleRequest } from './router.js'
import type { ShedReport } from './shed-report.js'

/** Bounds of a connection. Milliseconds, bytes and counts. */
const HTTP_LIMITS = {
  headersTimeout: 10_000,
  /** For receiving a request; answers may take longer. */
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 5_000,
  /** Maximum time without a byte in either direction. Longer than any long poll, and than any silence of a stream. */
  idleTimeout: 120_000,
  /** Intervals of the check whether a sender that has closed its side still waits: short at first, then longer. */
  halfClosedProbe: { first: 100, factor: 4, longest: 1_600 },
  maxHeaderSize: 16 * 1024,
  /** One more than is accepted. Node drops further lines silently, and the extra line shows that there are more. */
  maxHeadersCount: HEADER_LIMITS.lines + 1,
  maxRequestsPerSocket: 1_000,
  /** How long a stopping server waits for requests that it accepted. */
  closeGrace: 10_000,
} as const

/** `sun_path` without its closing NUL. Source: unix(7). */
const MAX_SOCKET_PATH_BYTES = process.platform === 'linux' ? 107 : 103

/** Connections that may wait to be accepted. If more wait, the system delays senders by a second. */
const BACKLOG = 4_096
/** No descriptors are left, for this process or for all. */
const EXHAUSTED: readonly (string | undefined)[] = ['EMFILE', 'ENFILE']

/**
 * A sender that has closed its side either waits for its answer or is gone. TCP shows the difference only after a
 * write, and Node only after a second one. If the answer takes long, interim answers are written, so that no long poll
 * or search continues for a sender that is gone.
 *
 * Source: RFC 9110, "Informational 1xx"; HTTP/1.0 has none.
 */
function probeHalfClosed(socket: Socket, unanswered: readonly ServerResponse[]): void {
  const { first, factor, longest } = HTTP_LIMITS.halfClosedProbe
  let timer: NodeJS.Timeout | undefined
  const probeAfter = (waitMs: number) => {
    timer = setTimeout(() => {
      const current = unanswered.find(res => res.socket === socket)
      if (current?.headersSent) {
        // Readers of event streams never close only one side, and a silent stream would not notice that they have left.
        if (isHeld(current.req) && waitMs === longest) socket.destroy()
      } else if (current && current.req.httpVersionMinor > 0) current.writeProcessing()
      probeAfter(Math.min(factor * waitMs, longest))
    }, waitMs)
  }
  probeAfter(first)
  socket.once('close', () => clearTimeout(timer))
}

/**
 * Node closes both sides of a connection after its last answer. If the request is still arriving, the system then discards
 * the answer, and its sender sees only a broken connection. So our side alone is closed, and the other side after the
 * request has arrived. The rest of the request is discarded; `requestTimeout` limits how long.
 *
 * Source: RFC 9112, section 9.6.
 */
function outlastRequest(req: IncomingMessage, res: ServerResponse): void {
  res.prependOnceListener('finish', () => {
    const { socket } = req
    if (req.complete || res.shouldKeepAlive) return
    // Node calls it once, after this event. A stopping server calls it again, and then means it.
    socket.destroySoon = () => {
      Reflect.deleteProperty(socket, 'destroySoon')
      socket.end()
      req.once('end', () => socket.destroySoon())
    }
  })
}

/** Listens over TCP and over the owner's socket, and stops without losing accepted requests. */
export class HttpListener {
  readonly #servers: Server[] = []
  readonly #connections = new Connections()
  #stopping = false

  constructor(
    private readonly handle: HandleRequest,
    private readonly requestIds: () => string,
    private readonly logger: Logger,
    private readonly room: { connections: number; shed: ShedReport; connected: () => void },
  ) {}

  /**
   * @param port 0 picks a free one
   * @throws AppError `configuration/address_in_use`, `configuration/address_unusable`
   */
  async listen(host: string, port: number): Promise<AddressInfo> {
    const server = await this.#start({ host, port }, `${host}, port ${port}`, false)
    return server.address() as AddressInfo
  }

  /**
   * Listens on a Unix socket that only its owner may open. The path must be free. Its ownership is decided elsewhere.
   *
   * @throws AppError `configuration/address_in_use`, `configuration/address_unusable`
   */
  async listenSocket(path: string): Promise<void> {
    // A longer path would be cut off silently, and the socket would be created elsewhere.
    if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) {
      const detail = `${path} is longer than ${MAX_SOCKET_PATH_BYTES} bytes, the limit for a socket.`
      throw new AppError('configuration', 'address_unusable', detail, { hint: 'Choose a shorter path.' })
    }
    await this.#start({ path }, path, true)
  }

  /** Call it when a request has been answered. */
  answered(req: IncomingMessage, res: ServerResponse): void {
    this.#connections.answered(req, res)
  }

  /** The number of connections for each use. */
  connectionCounts(): Record<ConnectionUse, number> {
    return this.#connections.counts()
  }

  /** Stops accepting, lets accepted requests finish (for a limited time), and closes every connection. */
  async close(): Promise<void> {
    this.#stopping = true
    const stopped = this.#servers.map(server => new Promise<void>(resolve => server.close(() => resolve())))
    for (const { socket, unanswered } of this.#connections) {
      const last = unanswered.at(-1)
      if (!last) {
        socket.destroySoon()
        continue
      }
      last.shouldKeepAlive = false
      last.once('close', () => socket.destroySoon())
    }
    const cut = setTimeout(() => {
      for (const { socket } of this.#connections) socket.destroy()
    }, HTTP_LIMITS.closeGrace)
    await Promise.all(stopped)
    clearTimeout(cut)
  }

  #start(where: ListenOptions, name: string, local: boolean): Promise<Server> {
    const server = createServer({
      headersTimeout: HTTP_LIMITS.headersTimeout,
      requestTimeout: HTTP_LIMITS.requestTimeout,
      connectionsCheckingInterval: HTTP_LIMITS.connectionsCheckingInterval,
      keepAliveTimeout: HTTP_LIMITS.keepAliveTimeout,
      maxHeaderSize: HTTP_LIMITS.maxHeaderSize,
      // The answer to a missing Host must look like every other answer.
      requireHostHeader: false,
    })
    server.timeout = HTTP_LIMITS.idleTimeout
    server.maxHeadersCount = HTTP_LIMITS.maxHeadersCount
    server.maxRequestsPerSocket = HTTP_LIMITS.maxRequestsPerSocket
    // A sender that has sent everything may close its side and still wait for the answer. Node has this option, and
    // closes the connection after the last answer, but its types and its manual do not mention it.
    Object.assign(server, { httpAllowHalfOpen: true })

    const accept = (req: IncomingMessage, res: ServerResponse) => {
      // Our side is closed: a request behind the last one would be executed, and its answer kept in memory.
      if (!req.socket.writable) {
        req.socket.destroySoon()
        return
      }
      this.#connections.unansweredOn(req.socket).push(res)
      // No other protocol is spoken here. Node drops bytes that arrive together with a request to change to one, so the
      // next request needs another connection. Source: RFC 9110, section 7.8.
      if (this.#stopping || req.headers.upgrade !== undefined) res.shouldKeepAlive = false
      if (!req.complete) outlastRequest(req, res)
      this.handle(req, res, local)
    }
    server.on('request', accept)
    server.on('checkContinue', (req, res) => {
      // The reader of the body sends `100 Continue`, so that a refusal comes before the body. A refused sender may or
      // may not send its body, so only on a new connection it is clear where the next request begins.
      res.shouldKeepAlive = false
      accept(req, res)
    })
    server.on('checkExpectation', accept)
    server.on('connect', (_req, socket) => socket.destroy())
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => this.#refuseUnreadable(error, socket as Socket))
    server.on('connection', socket => {
      this.room.connected()
      if (this.#connections.size >= this.room.connections && !this.#makeRoom() && !local) {
        socket.destroy()
        return
      }
      this.#connections.add(socket, local)
      const unanswered = this.#connections.unansweredOn(socket)
      socket.once('end', () => probeHalfClosed(socket, unanswered))
      socket.once('close', () => {
        // Node closes the current answer, but none of those that wait behind it.
        for (const res of unanswered) if (!res.closed && !res.socket) res.emit('close')
      })
    })
    this.#servers.push(server)
    return new Promise((resolve, reject) => {
      server.on('error', (error: NodeJS.ErrnoException) => {
        if (EXHAUSTED.includes(error.code)) this.#makeRoom()
        else if (server.listening) this.logger.error({ err: error }, 'the listener failed to accept a connection')
        else reject(cannotListen(name, error))
      })
      server.listen({ ...where, backlog: BACKLOG }, () => {
        try {
          if (where.path !== undefined) chmodSync(where.path, 0o600)
          resolve(server)
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  #makeRoom(): boolean {
    const use = this.#connections.makeRoom()
    this.room.shed.count(use ?? 'no_room')
    return use !== undefined
  }

  /** Answers bytes that are not a request, unless part of an answer is already in progress on that connection. */
  #refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
    const pending = this.#connections.unansweredOn(socket).find(res => res.socket === socket)
    if (!socket.writable || error.code === 'ECONNRESET' || pending?.headersSent) {
      socket.destroy()
      return
    }
    const problem = describeUnreadable(error.code)
    if (!pending) {
      const { status, code } = problem
      this.logger.info({ address: socket.remoteAddress, status, code }, 'unreadable request')
    }
    socket.write(rawAnswer(problem, this.requestIds()))
    socket.destroySoon()
  }
}

function describeUnreadable(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const detail = `The headers are larger than ${HTTP_LIMITS.maxHeaderSize / 1024} KiB. Send less in them.`
    return { status: 431, code: 'headers_too_large', detail }
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { status: 408, code: 'request_timeout', detail: 'The request did not arrive in time. Send it again.' }
  }
  return { status: 400, code: 'bad_request', detail: 'This is not a well-formed HTTP/1.1 request.' }
}

/** An answer written without a response object of Node, which exists only for a request. */
function rawAnswer(problem: Problem, requestId: string): string {
  const { body, type } = problemReply(problem)
  const headers = [
    ...apiHeaders({ requestId, tlsOnly: false }),
    'Content-Type',
    type,
    'Content-Length',
    String(body.length),
    'Connection',
    'close',
  ]
  let text = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n`
  for (let i = 0; i < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}\r\n`
  return `${text}\r\n${body}`
}

function cannotListen(name: string, error: NodeJS.ErrnoException): AppError {
  if (error.code === 'EADDRINUSE') {
    return new AppError('configuration', 'address_in_use', `${name} is in use by another program.`, {
      hint: 'Stop it, or choose another port: --port for the ledger, --board-port for the board.',
      cause: error,
    })
  }
  return new AppError(
    'configuration',
    'address_unusable',
    `Cannot listen on ${name} (${error.code ?? error.message}).`,
    {
      hint: 'Choose an address of this machine and a port that you may use.',
      cause: error,
    },
  )
}
