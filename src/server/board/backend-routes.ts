import type { ServerResponse } from 'node:http'
import Type from '#typebox'
import type { Gate, RequestFacts } from '../../gate/gate.js'
import { AppError, isRefusal } from '../../model/app-error.js'
import { BackendAgents } from '../../proxy/backend-agents.js'
import type { Backends } from '../../proxy/backends.js'
import { type BodyStart, bodyTooLarge, MAX_BODY_BYTES, readBodyStart } from '../../proxy/body-start.js'
import { type ForwardTimes, forward } from '../../proxy/forward.js'
import { GatewayFailure } from '../../proxy/gateway-failure.js'
import type { SocketAddress } from '../../proxy/own-address.js'
import type { BodyFraming, PassedAnswer } from '../../proxy/proxy-headers.js'
import { proxyPath } from '../../proxy/proxy-path.js'
import { startsNothing, toRemoteExecution } from '../../proxy/remote-execution.js'
import { ANSWER_LIMITS } from '../answer/answer-budget.js'
import { endOnceRefused } from '../answer/event-stream-response.js'
import { STREAM_TIMES } from '../answer/paced-answer.js'
import { problemReply } from '../answer/problem.js'
import { json, passedHeaders } from '../answer/reply.js'
import { closeSignal, cutOffWhenSlow } from '../answer/slow-reader.js'
import { documented, METHODS, type Reply, type RouteDoc, route } from '../http/route.js'
import type { Shutdown } from '../http/shutdown.js'
import type { BoardEndpoint, BoardRequest, BoardRoute } from './board-route.js'
import { MAX_NEW_RUN_BYTES } from './run-routes.js'

export interface ProxyTimes extends ForwardTimes {
  /** Maximum time until there is a connection. */
  connectMs: number
  /** Time between two checks whether the reader of a silent event stream may still read. */
  recheckMs: number
  /** How long the result of a check is reused, so that an ordinary answer needs no second check. */
  trustMs: number
}

/** Source: decisions on security, section 2, "proxy timeouts". */
export const PROXY_TIMES: ProxyTimes = {
  connectMs: 5_000,
  firstByteMs: 30_000,
  idleMs: 60_000,
  recheckMs: STREAM_TIMES.heartbeatMs,
  trustMs: 100,
}

export interface ProxyParts {
  backends: Backends
  gate: Pick<Gate, 'admitExecution'>
  /** The parts of a request by which the gate admits a real run. */
  executionFacts: (req: BoardRequest) => Pick<RequestFacts, 'executorToken' | 'address'>
  /** Rejects when the sender of the request may no longer read: an answer may last longer than a login. */
  checkMayRead: (req: BoardRequest) => Promise<void>
  /** Prefix of all our paths: empty, or `/x`. */
  rootPath: string
  /** Where this process currently listens, the ledger included: a backend must not be one of these. */
  ownListeners: () => readonly SocketAddress[]
  shutdown: Shutdown
  proxyTimes?: ProxyTimes
}

/** The other boards, and the reverse proxy to them. */
export function backendRoutes(parts: ProxyParts): BoardRoute[] {
  const proxied = proxy(parts)
  return [
    route('GET', '/api/backends', 'api', listBackends(parts)),
    ...METHODS.map(method => route(method, '/api/backends/:profile/api/*', 'api', proxied)),
  ]
}

/** `GET /api/backends`: the valid profiles; their boards are not contacted. */
function listBackends({ backends }: Pick<ProxyParts, 'backends'>): BoardEndpoint {
  return documented(DOCS.list, async () => {
    const profiles = await backends.listProfiles()
    const items = profiles.map(({ name, url }) => ({ name, url }))
    return json(200, { items, count: items.length })
  })
}

/**
 * `/api/backends/:profile/api/…`, any method: sends the same request to another board, with the key of its profile, and
 * passes its answer on. Browsers then see both boards as one origin. Therefore only listed headers pass in either
 * direction, no redirect is followed, and no answer can act as a page of ours. A request that would execute something
 * there needs our own executor's token in addition to that board's; ours is not sent.
 *
 * @throws AppError `forbidden/forbidden`, `not_found/not_found`, `invalid/invalid_path`, `unavailable/backends_invalid`,
 *   `unsupported_type/unsupported_media_type`, `too_large/body_too_large`, `invalid/bad_request`, and as
 *   `Gate.admitExecution` and `checkMayRead`; it answers 502 `bad_gateway` and 504 `gateway_timeout` itself
 *
 * Source: Board Access Gate, "Endpoints"; decisions on security, section 5, and on the board, section 8.
 */
function proxy(parts: ProxyParts): BoardEndpoint {
  const { backends, rootPath, ownListeners, shutdown, proxyTimes: times = PROXY_TIMES } = parts
  const agents = new BackendAgents({ ownListeners, connectMs: times.connectMs })

  return documented(DOCS.proxy, async (req, res) => {
    if (req.headers['service-worker'] !== undefined) throw noWorkers()
    const checkMayRead = () => parts.checkMayRead(req)
    const checkMayBegin = trusted(checkMayRead, times.trustMs)
    // There is no proxy in front of the owner's socket.
    const root = req.local ? '' : rootPath
    const { profile: name, path } = proxyPath(req.target, root)
    req.logged = { backend: name }
    const begun = await admitExecution(req, res, path, parts)
    const backend = await backends.getBackend(name)
    const head = headWriter(req, res, { shutdown, checkMayRead, recheckMs: times.recheckMs })
    try {
      await forward(req, res, {
        backend,
        agent: agents.agentFor(backend.profile),
        path,
        ownPrefix: `${root}/api/backends/${name}`,
        body: readFraming(req, begun),
        begun,
        times,
        gone: closeSignal(res),
        writeHead: head.write,
        checkMayBegin,
        checkMayRead,
      })
      return undefined
    } catch (error) {
      // A login that ends during an answer is not a failure.
      if (res.headersSent && isRefusal(error)) return undefined
      if (!(error instanceof GatewayFailure)) throw error
      req.logged = { backend: name, reason: error.reason }
      return toReply(error, req, res)
    } finally {
      head.stopChecking()
    }
  })
}

/** Repeats the check if the last one is older than `trustMs`. The first one is that of the request itself. */
function trusted(check: () => Promise<void>, trustMs: number): () => Promise<void> {
  let checkedAt = performance.now()
  return async () => {
    const now = performance.now()
    if (now - checkedAt < trustMs) return
    await check()
    checkedAt = now
  }
}

/** Writes the head of an answer. An event stream takes a place among the held answers, and ends with the caller's login. */
function headWriter(
  req: BoardRequest,
  res: ServerResponse,
  { shutdown, checkMayRead, recheckMs }: { shutdown: Shutdown; checkMayRead: () => Promise<void>; recheckMs: number },
) {
  let stopChecking = () => {}
  const write = ({ status, headers, hasBody, isEventStream }: PassedAnswer) => {
    const open = hasBody && isEventStream ? shutdown.hold(req, res, 'backend_stream') : undefined
    res.writeHead(status, [...passedHeaders(req), ...headers])
    if (hasBody) cutOffWhenSlow(res, ANSWER_LIMITS.takenMs)
    if (!open) return
    // The first event may take a long time.
    res.flushHeaders()
    stopChecking = endOnceRefused(open, checkMayRead, recheckMs)
    const cut = () => {
      if (!res.writableEnded) res.destroy()
    }
    if (open.signal.aborted) cut()
    else open.signal.addEventListener('abort', cut, { once: true })
  }
  return { write, stopChecking: () => stopChecking() }
}

/**
 * Requires our executor's token if the other board would execute something.
 *
 * @returns the part of the body that had to be read to decide that
 */
async function admitExecution(
  req: BoardRequest,
  res: ServerResponse,
  path: string,
  { gate, executionFacts }: Pick<ProxyParts, 'gate' | 'executionFacts'>,
): Promise<BodyStart | undefined> {
  const showsToken = req.headers['x-board-backend-executor-token'] !== undefined
  const execution = toRemoteExecution({ method: req.method, path, showsToken })
  if (execution === 'none') return undefined
  const isShort = Number(req.headers['content-length'] ?? 0) <= MAX_NEW_RUN_BYTES
  const begun = execution === 'by body' && isShort ? await readBodyStart(req, res, MAX_NEW_RUN_BYTES) : undefined
  if (begun?.isWhole && startsNothing(begun.bytes)) return begun
  try {
    await gate.admitExecution(executionFacts(req))
  } catch (error) {
    // The rest of the body must be discarded, because the next request follows it on the connection.
    req.resume()
    throw error
  }
  req.isNotable = true
  return begun
}

/**
 * A body of `GET` or `HEAD` is not sent: it has no meaning, and a server that ignores it would read it as the next
 * request on the connection.
 */
function readFraming({ method, headers }: BoardRequest, begun: BodyStart | undefined): BodyFraming {
  if (method === 'GET' || method === 'HEAD') return 'none'
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    const detail = 'Encoded bodies are not passed on. Send it without an encoding.'
    throw new AppError('unsupported_type', 'unsupported_media_type', detail)
  }
  if (begun?.isWhole) return begun.bytes.length
  if (headers['transfer-encoding'] !== undefined) return 'chunked'
  const length = Number(headers['content-length'] ?? 0)
  if (length > MAX_BODY_BYTES) throw bodyTooLarge()
  return length
}

/** @throws AppError when part of the answer has been sent, for the log: the connection was cut */
function toReply({ code, reason }: GatewayFailure, { requestId }: BoardRequest, res: ServerResponse): Reply {
  if (res.headersSent) throw new AppError('unavailable', code, `The backend gave no complete answer: ${reason}.`)
  return code === 'gateway_timeout'
    ? problemReply({ status: 504, code, detail: 'The backend did not answer in time. Try again later.', requestId })
    : problemReply({ status: 502, code, detail: BAD_GATEWAY, requestId })
}

const BAD_GATEWAY = 'The backend is unreachable, or its answer cannot be passed on. The log shows which.'

/** A script that registers itself here would act for our whole origin. */
function noWorkers(): AppError {
  return new AppError('forbidden', 'forbidden', 'An answer of a backend cannot become a service worker.')
}

const BackendListSchema = Type.Object({
  items: Type.Array(
    Type.Object({ name: Type.String(), url: Type.String({ description: 'Base address of that board.' }) }),
  ),
  count: Type.Integer(),
})

const DOCS = {
  list: {
    summary: 'The other boards that can be reached through this one',
    description: 'Lists the profiles of `backends.json` that are valid, without their keys.',
    answers: { 200: { description: 'Names for the paths below, and addresses', schema: BackendListSchema } },
  },
  proxy: {
    summary: 'The same request to another board, with the key of its profile',
    description: 'Forwards method, path, body and safe headers; credentials of the caller are not sent on.',
    headers: [
      {
        name: 'X-Board-Executor-Token',
        description: "Our own executor's token, for requests that execute something there; it is not sent on.",
        schema: Type.String(),
      },
      {
        name: 'X-Board-Backend-Executor-Token',
        description: "The other board's executor token, for requests that need it there.",
        schema: Type.String(),
      },
    ],
    answers: {
      200: { description: 'The answer of the other board, with listed headers only' },
      502: { description: 'It cannot be reached, or its answer cannot be passed on' },
      504: { description: 'It did not answer in time' },
    },
  },
} satisfies Record<string, RouteDoc>
