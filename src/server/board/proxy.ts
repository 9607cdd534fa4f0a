import type { ServerResponse } from 'node:http'
import type { Gate, RequestFacts } from '../../gate/gate.js'
import { AppError } from '../../model/app-error.js'
import { BackendAgents } from '../../proxy/backend-agents.js'
import type { Backends } from '../../proxy/backends.js'
import { type BodyStart, readBodyStart } from '../../proxy/body-start.js'
import { FORWARD_LIMITS, type ForwardTimes, forward } from '../../proxy/forward.js'
import { GatewayFailure } from '../../proxy/gateway-failure.js'
import type { SocketAddress } from '../../proxy/own-address.js'
import type { BodyFraming } from '../../proxy/proxy-headers.js'
import { proxyPath } from '../../proxy/proxy-path.js'
import { isPlayed, toRemoteExecution } from '../../proxy/remote-execution.js'
import { STREAM_TIMES } from '../answer/paced-answer.js'
import { problemReply } from '../answer/problem.js'
import type { Reply } from '../http/route.js'
import type { Shutdown } from '../http/shutdown.js'
import { tooLarge } from '../request/body.js'
import type { BoardHandler, BoardRequest } from './board-route.js'
import { NEW_RUN_BYTES } from './run-routes.js'

export interface ProxyTimes extends ForwardTimes {
  /** Until there is a connection. */
  connectMs: number
}

/** Source: decisions on security, section 2, "proxy timeouts". */
export const PROXY_TIMES: ProxyTimes = {
  connectMs: 5_000,
  firstByteMs: 30_000,
  idleMs: 60_000,
  recheckMs: STREAM_TIMES.heartbeatMs,
}

export interface ProxyParts {
  backends: Backends
  gate: Pick<Gate, 'admitExecution'>
  /** Of a request, what the gate looks at to allow a real run. */
  executionFacts: (req: BoardRequest) => Pick<RequestFacts, 'executorToken' | 'address'>
  /** Rejects once the sender of a request may no longer read: an answer outlives a login. */
  mayRead: (req: BoardRequest) => Promise<void>
  /** In front of every path of ours: empty, or `/x`. */
  rootPath: string
  /** Where this process listens at this moment, the ledger included: a backend must not be one of these. */
  ownListeners: () => readonly SocketAddress[]
  shutdown: Shutdown
  times?: ProxyTimes
}

/**
 * `/api/backends/:profile/api/…`, any method: the same request to another board, by the key of its profile, and its
 * answer. One origin means that no browser stands between that board and ours, so what passes is listed both ways, no
 * redirect is followed, and nothing that comes back can act as a page of ours. What would be executed there needs our
 * own executor's token besides that board's; ours stays here.
 *
 * @throws AppError `forbidden/forbidden`, `not_found/not_found`, `invalid/invalid_path`, `unavailable/backends_invalid`,
 *   `unsupported_type/unsupported_media_type`, `too_large/body_too_large`, `invalid/bad_request`, and as
 *   `Gate.admitExecution` and `mayRead`; it answers 502 `bad_gateway` and 504 `gateway_timeout` itself
 *
 * Source: Board Access Gate, "Endpoints"; decisions on security, section 5, and on the board, section 8.
 */
export function proxy(parts: ProxyParts): BoardHandler {
  const { backends, rootPath, ownListeners, shutdown, mayRead, times = PROXY_TIMES } = parts
  const agents = new BackendAgents({ ownListeners, connectMs: times.connectMs })

  return async (req, res) => {
    if (req.headers['service-worker'] !== undefined) throw noWorkers()
    // Over the owner's socket there is nothing in front.
    const root = req.local ? '' : rootPath
    // The target as it was sent: polka has cut a fragment off `url`.
    const { profile: name, path } = proxyPath(req._parsedUrl.raw, root)
    req.logged = { backend: name }
    const begun = await admitExecution(req, res, path, parts)
    const backend = await backends.getBackend(name)
    const body = readFraming(req, begun)
    const agent = agents.of(backend.profile)
    const ownPrefix = `${root}/api/backends/${name}`
    try {
      const rules = { times, shutdown, mayRead: () => mayRead(req) }
      await forward(req, res, { backend, agent, path, ownPrefix, body, begun, ...rules })
      return undefined
    } catch (error) {
      if (!(error instanceof GatewayFailure)) throw error
      req.logged = { backend: name, reason: error.reason }
      return toReply(error, req, res)
    }
  }
}

/**
 * Asks for our executor's token where something would be executed on the other board.
 *
 * @returns what had to be read of the body to know that
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
  const isShort = Number(req.headers['content-length'] ?? 0) <= NEW_RUN_BYTES
  const begun = execution === 'unless played' && isShort ? await readBodyStart(req, res, NEW_RUN_BYTES) : undefined
  if (begun?.isWhole && isPlayed(begun.bytes)) return begun
  try {
    await gate.admitExecution(executionFacts(req))
  } catch (error) {
    // The rest of a body that was begun is read by nobody else, and the next request stands behind it.
    req.resume()
    throw error
  }
  req.isNotable = true
  return begun
}

/**
 * A body of `GET` and `HEAD` means nothing, and a server that does not read it would take it for the next request on
 * the connection; it is left behind.
 */
function readFraming({ method, headers }: BoardRequest, begun: BodyStart | undefined): BodyFraming {
  if (method === 'GET' || method === 'HEAD') return 'none'
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    const detail = 'Encoded bodies are not passed on. Send it as it is.'
    throw new AppError('unsupported_type', 'unsupported_media_type', detail)
  }
  if (begun?.isWhole) return begun.bytes.length
  if (headers['transfer-encoding'] !== undefined) return 'chunked'
  const length = Number(headers['content-length'] ?? 0)
  if (length > FORWARD_LIMITS.bodyBytes) throw tooLarge(FORWARD_LIMITS.bodyBytes)
  return length
}

/** @throws AppError when part of the answer is out, for the log: the connection was cut */
function toReply({ code, reason }: GatewayFailure, { requestId }: BoardRequest, res: ServerResponse): Reply {
  if (res.headersSent) throw new AppError('unavailable', code, `The backend gave no whole answer: ${reason}.`)
  return code === 'gateway_timeout'
    ? problemReply({ status: 504, code, detail: 'The backend did not answer in time. Try it again later.', requestId })
    : problemReply({ status: 502, code, detail: BAD_GATEWAY, requestId })
}

const BAD_GATEWAY = 'The backend could not be reached, or gave no answer that can be passed on. The log says which.'

/** A script that registers itself here would speak for our whole origin. */
function noWorkers(): AppError {
  return new AppError('forbidden', 'forbidden', 'What a backend answers cannot become a service worker.')
}
