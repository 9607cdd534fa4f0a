import {
  type Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../model/app-error.js'
import type { Backend } from './backends.js'
import { type BodyStart, bodyTooLarge, MAX_BODY_BYTES } from './body-start.js'
import { GatewayFailure, toGatewayFailure } from './gateway-failure.js'
import { type BodyFraming, type PassedAnswer, toBackendHeaders, toPassedAnswer } from './proxy-headers.js'

export interface ForwardTimes {
  /** From the last byte sent of the request to the head of the answer. */
  firstByteMs: number
  /** Between two pieces of the answer, and for the whole of a short one. */
  idleMs: number
}

interface Forwarding {
  backend: Backend
  agent: Agent
  /** Below the backend's base address. */
  path: string
  /** Our path for the backend's `/api/`. */
  ownPrefix: string
  body: BodyFraming
  /** The part of the body that has been read already; the rest is streamed. */
  begun: BodyStart | undefined
  times: ForwardTimes
  /** Aborted when the caller has left, or the answer is over. */
  gone: AbortSignal
  /** Rejects when the caller may no longer read. May use the result of a check shortly before. */
  checkMayBegin: () => Promise<void>
  /** Like `checkMayBegin`, but always checks again: a stream may outlive a login. */
  checkMayRead: () => Promise<void>
  /** Writes the head of the answer, or throws to refuse it. */
  writeHead: (head: PassedAnswer) => void
}

/** Maximum size of the head of an answer. */
const MAX_HEADER_BYTES = 16 * 1024
/** An answer of at most this announced length is passed on when it is complete, which costs half as much as a stream. */
const SHORT_BYTES = 32 * 1024
/** Limits the attempts of a request: each kept connection may turn out to be closed. */
const MAX_ATTEMPTS = 5
/** Errors of a kept connection that the backend has closed. */
const STALE_REASONS: readonly string[] = ['ECONNRESET', 'EPIPE']

/**
 * Sends one request to a backend and its answer to the caller, each as it arrives and no faster than the receiver takes
 * it. Resolves when the answer is over, or the caller has left. The caller must be allowed to read when the answer
 * begins, and at each piece of it; after a refusal the connection is cut.
 *
 * @throws GatewayFailure before any part of the answer was sent; also when the backend broke off within its answer. In
 *   that case the connection to the caller has been cut, because a clean end would declare the answer complete
 * @throws AppError `too_large/body_too_large`; as `checkMayRead` and `writeHead`
 */
export async function forward(req: IncomingMessage, res: ServerResponse, forwarding: Forwarding): Promise<void> {
  for (let attempt = 1; !forwarding.gone.aborted; attempt++) {
    const outgoing = openRequest(req, forwarding)
    try {
      return await exchange(req, res, { ...forwarding, outgoing })
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || forwarding.gone.aborted || !wasStale(error, req, outgoing)) throw error
    }
  }
}

/**
 * Whether a kept connection was closed before the backend read the request, which may be repeated: it changes nothing.
 */
function wasStale(error: unknown, { method }: IncomingMessage, { reusedSocket }: ClientRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead && reusedSocket && error instanceof GatewayFailure && STALE_REASONS.includes(error.reason)
}

function openRequest(req: IncomingMessage, { backend, agent, path, body }: Forwarding): ClientRequest {
  const { profile } = backend
  const request = profile.secure ? httpsRequest : httpRequest
  return request({
    host: profile.host,
    port: profile.port,
    method: req.method,
    path: profile.pathPrefix + path,
    headers: toBackendHeaders(req.headers, backend, body),
    agent,
    maxHeaderSize: MAX_HEADER_BYTES,
  })
}

type Exchange = Forwarding & { outgoing: ClientRequest }

async function exchange(req: IncomingMessage, res: ServerResponse, parts: Exchange): Promise<void> {
  const { outgoing, gone, checkMayBegin, writeHead } = parts
  let answer: IncomingMessage | undefined
  try {
    answer = await sendAndAwaitAnswer(req, res, parts)
    await checkMayBegin()
    if (gone.aborted) throw callerLeft()
    const head = toPassed(req, answer, parts)
    if (head.hasBody && Number(answer.headers['content-length']) <= SHORT_BYTES) {
      const body = await readAnswer(answer, parts)
      await checkMayBegin()
      writeHead(head)
      res.end(body)
    } else if (head.hasBody) {
      writeHead(head)
      await streamAnswer(answer, res, parts)
    } else {
      writeHead(head)
      answer.resume()
      res.end()
    }
    await untilClosed(res)
  } finally {
    discardBody(req)
    if (!answer?.readableEnded) outgoing.destroy()
  }
}

/** @returns the answer, when the response headers have arrived */
function sendAndAwaitAnswer(req: IncomingMessage, res: ServerResponse, parts: Exchange): Promise<IncomingMessage> {
  const { outgoing, gone, body, times } = parts
  return new Promise<IncomingMessage>((resolve, reject) => {
    const silence = setTimeout(() => reject(new GatewayFailure('gateway_timeout', 'no answer')), times.firstByteMs)
    const begin = (answer: IncomingMessage) => {
      clearTimeout(silence)
      // A connection that is being cut can emit one more error.
      answer.on('error', () => {})
      // If the answer ends before the body was sent completely, the connection cannot be used again.
      answer.once('end', () => outgoing.writableFinished || outgoing.destroy())
      resolve(answer)
    }
    outgoing.once('response', begin)
    outgoing.once('upgrade', (answer, socket) => {
      socket.destroy()
      begin(answer)
    })
    // After the head, the answer itself reports whether it is complete.
    outgoing.on('error', error => {
      clearTimeout(silence)
      reject(error instanceof AppError ? error : toGatewayFailure(error))
    })
    gone.addEventListener('abort', () => {
      clearTimeout(silence)
      reject(callerLeft())
    })
    if (body === 'none') outgoing.end()
    else sendBodyOnceConnected(req, res, { ...parts, onPiece: () => silence.refresh() })
  })
}

/** Sends the body once connected: until then, a caller that waits for `100 Continue` can still be refused. */
function sendBodyOnceConnected(
  req: IncomingMessage,
  res: ServerResponse,
  { outgoing, begun, onPiece }: Exchange & { onPiece: () => void },
): void {
  const send = () => {
    if (outgoing.destroyed) return
    const limited = limitBody(onPiece)
    limited.once('error', error => outgoing.destroy(error))
    outgoing.once('close', () => discardBody(req))
    // Not `pipeline`, which would destroy the request when sending fails, and the caller could not be answered.
    limited.pipe(outgoing)
    if (begun) limited.write(begun.bytes)
    else if (req.headers.expect !== undefined) res.writeContinue()
    if (begun?.isWhole) limited.end()
    else req.pipe(limited)
  }
  outgoing.once('socket', socket => {
    if (socket.connecting) socket.once('connect', send)
    else send()
  })
}

function limitBody(onPiece: () => void): Transform {
  let bytes = 0
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length
      onPiece()
      if (bytes > MAX_BODY_BYTES) done(bodyTooLarge())
      else done(null, chunk)
    },
  })
}

/** Node's request timeout limits how long the rest is read. */
function discardBody(req: IncomingMessage): void {
  req.unpipe()
  req.resume()
}

function toPassed(
  { method = '' }: IncomingMessage,
  { statusCode: status = 0, headers }: IncomingMessage,
  { path, ownPrefix, backend }: Exchange,
): PassedAnswer {
  return toPassedAnswer({ status, headers }, { method, path, ownPrefix, profile: backend.profile })
}

/**
 * The caller sees nothing of the answer until it is complete, so the time is for all of it.
 *
 * @throws GatewayFailure when the backend takes too long or breaks off
 */
function readAnswer(answer: IncomingMessage, { times, gone }: Exchange): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const late = setTimeout(() => reject(new GatewayFailure('gateway_timeout', 'no complete answer')), times.idleMs)
    answer.on('data', (chunk: Buffer) => chunks.push(chunk))
    // A single chunk is not copied: a copy costs as much as the gate.
    answer.once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    answer.once('close', () => {
      clearTimeout(late)
      if (!answer.readableEnded) reject(connectionBroken())
    })
    gone.addEventListener('abort', () => reject(callerLeft()))
  })
}

/** Returns without an error if the caller leaves. */
async function streamAnswer(
  answer: IncomingMessage,
  res: ServerResponse,
  { checkMayRead, times, gone }: Exchange,
): Promise<void> {
  /** The first event that ended the stream: `pipeline` may report a consequence of its own clean-up instead. */
  let cause: unknown
  const checked = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      if (!answer.readableEnded) idle.refresh()
      checkMayRead().then(() => done(null, chunk), done)
    },
  })
  // A backend that waits for the caller is not silent; the caller has a limit of its own.
  const idle = setTimeout(() => {
    const isWaiting = checked.writableLength > 0 || res.writableNeedDrain
    if (isWaiting && res.socket && !res.socket.destroyed) idle.refresh()
    else answer.destroy(silent())
  }, times.idleMs)
  answer.once('end', () => clearTimeout(idle))
  answer.once('error', error => {
    cause ??= error instanceof GatewayFailure ? error : connectionBroken()
  })
  checked.once('error', error => {
    cause ??= error
  })
  gone.addEventListener('abort', () => {
    cause ??= CALLER_LEFT
  })
  // `pipeline` alone adds seven listeners for `close`.
  res.setMaxListeners(20)
  try {
    await pipeline(answer, checked, res)
  } catch {
    if (cause !== CALLER_LEFT) throw cause ?? connectionBroken()
  } finally {
    clearTimeout(idle)
  }
}

const CALLER_LEFT = Symbol('caller left')

function silent(): GatewayFailure {
  return new GatewayFailure('bad_gateway', 'silent within its answer')
}

function connectionBroken(): GatewayFailure {
  return new GatewayFailure('bad_gateway', 'broke off its answer')
}

function callerLeft(): Error {
  return new Error('The caller left before the backend answered')
}

/** An answer that waits behind another one on its connection emits `close` only while that connection is open. */
function untilClosed(res: ServerResponse): Promise<void> {
  return new Promise(resolve => (res.closed || res.req.socket.destroyed ? resolve() : res.once('close', resolve)))
}
