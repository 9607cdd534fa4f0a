import {
  type Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { request as httpsRequest } from 'node:https'
import { ANSWER_LIMITS } from '../server/answer/answer-budget.js'
import { passedHeaders } from '../server/answer/reply.js'
import { endOnceRefused, isRefusal } from '../server/answer/server-sent-events.js'
import { cutOffWhenSlow, hasLeft } from '../server/answer/slow-reader.js'
import type { BoardRequest } from '../server/board/board-route.js'
import type { Shutdown } from '../server/http/shutdown.js'
import { tooLarge } from '../server/request/body.js'
import type { Backend } from './backends.js'
import type { BodyStart } from './body-start.js'
import { GatewayFailure, toGatewayFailure } from './gateway-failure.js'
import { type BodyFraming, type PassedAnswer, toBackendHeaders, toPassedAnswer } from './proxy-headers.js'

export const FORWARD_LIMITS = {
  /** Of a request. */
  bodyBytes: 10 * 1024 * 1024,
  /** Of the head of an answer. */
  headerBytes: 16 * 1024,
} as const

export interface ForwardTimes {
  /** Until the answer begins, since the last byte of the request was sent. */
  firstByteMs: number
  /** Between two pieces of the answer. */
  idleMs: number
  /** Between two checks whether the reader of a silent event stream may still read. */
  recheckMs: number
}

export interface Forwarding {
  backend: Backend
  agent: Agent
  /** Below the backend's base address. */
  path: string
  /** Under which the backend's `/api/` stands with us. */
  ownPrefix: string
  body: BodyFraming
  /** What was read of the body before; the rest, if there is one, goes on as it comes. */
  begun: BodyStart | undefined
  times: ForwardTimes
  shutdown: Shutdown
  /** Rejects once the sender may no longer read: an answer outlives a login. */
  mayRead: () => Promise<void>
}

/**
 * Passes one request on to a backend and its answer back, each as it comes and no faster than the other side takes it.
 * Resolves once the answer is over, or its reader has gone. The sender must be allowed to read when the answer begins, at
 * each piece of it, and every `recheckMs` of an event stream; after that the connection is cut.
 *
 * @throws GatewayFailure as long as nothing was answered; and where the backend broke off within its answer, after the
 *   connection was cut, since a clean end would say that it was whole
 * @throws AppError `too_large/body_too_large`; as `mayRead`
 */
export async function forward(req: BoardRequest, res: ServerResponse, forwarding: Forwarding): Promise<void> {
  if (hasLeft(res)) return
  for (let attempts = 1; ; attempts++) {
    const exchange = new Exchange(req, res, forwarding)
    try {
      return await exchange.over
    } catch (error) {
      if (!exchange.wasStale || attempts === MAX_ATTEMPTS || hasLeft(res)) throw error
    }
  }
}

/** Each kept connection may turn out to be closed just as it is used again. */
const MAX_ATTEMPTS = 5
/** What a closed connection is met with. */
const STALE_REASONS: readonly string[] = ['ECONNRESET', 'EPIPE']

class Exchange {
  readonly over: Promise<void>
  /** It may be tried again: nobody has read anything of it, and it changes nothing. */
  wasStale = false
  readonly #outgoing: ClientRequest
  readonly #silence: NodeJS.Timeout
  #answer: IncomingMessage | undefined
  #sentBytes = 0
  #isOver = false
  #stopAsking: () => void = () => {}
  #steps = Promise.resolve()
  #settle: { resolve: () => void; reject: (error: unknown) => void } = { resolve: () => {}, reject: () => {} }

  constructor(
    private readonly req: BoardRequest,
    private readonly res: ServerResponse,
    private readonly forwarding: Forwarding,
  ) {
    this.over = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
    this.#silence = setTimeout(() => this.#fallSilent(), forwarding.times.firstByteMs)
    this.#outgoing = this.#open()
    this.#outgoing.on('error', error => this.#failSending(error))
    this.#outgoing.once('response', answer => this.#takeAnswer(answer))
    this.#outgoing.once('upgrade', (answer, socket) => {
      socket.destroy()
      this.#takeAnswer(answer)
    })
    res.once('close', this.#onClosed)
    if (forwarding.body === 'none') this.#outgoing.end()
    else this.#sendBodyOnceConnected()
  }

  #open(): ClientRequest {
    const { backend, agent, path, body } = this.forwarding
    const { profile } = backend
    const request = profile.secure ? httpsRequest : httpRequest
    return request({
      host: profile.host,
      port: profile.port,
      method: this.req.method,
      path: profile.pathPrefix + path,
      headers: toBackendHeaders(this.req.headers, backend, body),
      agent,
      maxHeaderSize: FORWARD_LIMITS.headerBytes,
    })
  }

  /** Whoever waits for a word before the body can be refused until then. */
  #sendBodyOnceConnected(): void {
    this.#outgoing.once('socket', socket => {
      if (socket.connecting) socket.once('connect', () => this.#sendBody())
      else this.#sendBody()
    })
  }

  #sendBody(): void {
    if (this.#isOver || this.#outgoing.socket?.destroyed) return
    const { req, res } = this
    const { begun } = this.forwarding
    if (begun) this.#onBody(begun.bytes)
    else if (req.headers.expect !== undefined) res.writeContinue()
    if (begun?.isWhole) {
      this.#onBodyEnd()
      return
    }
    req.on('data', this.#onBody)
    req.once('end', this.#onBodyEnd)
    this.#outgoing.on('drain', () => req.resume())
    // It was paused behind what was read of it.
    if (begun) req.resume()
  }

  readonly #onBody = (chunk: Buffer): void => {
    this.#sentBytes += chunk.length
    if (this.#sentBytes > FORWARD_LIMITS.bodyBytes) {
      this.#fail(tooLarge(FORWARD_LIMITS.bodyBytes))
      return
    }
    this.#silence.refresh()
    if (!this.#outgoing.write(chunk)) this.req.pause()
  }

  readonly #onBodyEnd = (): void => {
    this.#outgoing.end()
  }

  /** The rest of the body is read and thrown away; Node's request timeout bounds that. */
  #stopBody(): void {
    this.req.off('data', this.#onBody)
    this.req.off('end', this.#onBodyEnd)
    this.req.resume()
  }

  #failSending(error: Error): void {
    // Once there is an answer, it tells by itself whether it came whole.
    if (this.#answer) return
    const failure = toGatewayFailure(error)
    const isStale = this.#outgoing.reusedSocket && STALE_REASONS.includes(failure.reason)
    this.wasStale = isStale && (this.req.method === 'GET' || this.req.method === 'HEAD')
    this.#fail(failure)
  }

  #takeAnswer(answer: IncomingMessage): void {
    if (this.#isOver) return
    this.#answer = answer
    // There is always one more error than expected on a connection that is being cut.
    answer.on('error', () => this.#breakOff())
    this.#onceReadable(() => this.#passOn(answer, this.#toPassed(answer)))
  }

  /** Goes on once the sender was found to be allowed to read, in the order of the calls. */
  #onceReadable(goOn: () => void): void {
    this.#inOrder(async () => {
      await this.forwarding.mayRead()
      if (!this.#isOver) goOn()
    })
  }

  /** A stream emits `end` although it is paused, so the last piece may still wait for its check. */
  #inOrder(step: () => Promise<void> | void): void {
    this.#steps = this.#steps
      .then(() => (this.#isOver ? undefined : step()))
      // A sender that may read no longer is no failure of ours.
      .catch(error => (this.res.headersSent && isRefusal(error) ? this.#leave() : this.#fail(error)))
  }

  #toPassed({ statusCode: status = 0, headers }: IncomingMessage): PassedAnswer {
    const { path, ownPrefix, backend } = this.forwarding
    return toPassedAnswer({ status, headers }, { method: this.req.method, path, ownPrefix, profile: backend.profile })
  }

  #passOn(answer: IncomingMessage, { status, headers, hasBody, isEventStream }: PassedAnswer): void {
    const { req, res, forwarding } = this
    const open = hasBody && isEventStream ? forwarding.shutdown.hold(req, res) : undefined
    res.writeHead(status, [...passedHeaders(req), ...headers])
    clearTimeout(this.#silence)
    answer.once('end', () => this.#inOrder(() => this.#endAnswer()))
    answer.once('close', () => this.#breakOff())
    if (!hasBody) {
      answer.resume()
      res.end()
      return
    }
    const idle = this.#watchIdle(answer)
    cutOffWhenSlow(res, ANSWER_LIMITS.takenMs)
    answer.on('data', (chunk: Buffer) => {
      idle.refresh()
      answer.pause()
      this.#onceReadable(() => {
        if (res.write(chunk)) answer.resume()
      })
    })
    res.on('drain', () => answer.resume())
    if (!open) return
    // Its first event may be long in coming.
    res.flushHeaders()
    this.#stopAsking = endOnceRefused(open, forwarding.mayRead, forwarding.times.recheckMs)
    open.signal.addEventListener('abort', () => this.#leave(), { once: true })
  }

  /** Nothing is wrong with a backend that waits for the caller; the caller has a limit of its own. */
  #watchIdle(answer: IncomingMessage): NodeJS.Timeout {
    const { res } = this
    const idle = setTimeout(() => {
      if (answer.isPaused() && res.socket && !res.socket.destroyed) idle.refresh()
      else this.#breakOff('silent within its answer')
    }, this.forwarding.times.idleMs)
    answer.once('close', () => clearTimeout(idle))
    return idle
  }

  #endAnswer(): void {
    this.#stopBody()
    // It answered before it had read everything: nobody knows where the next request would begin.
    if (!this.#outgoing.writableFinished) this.#outgoing.destroy()
    this.res.end()
  }

  #breakOff(reason = 'broke off its answer'): void {
    if (!this.#answer?.readableEnded) this.#fail(new GatewayFailure('bad_gateway', reason))
  }

  #fallSilent(): void {
    this.#fail(new GatewayFailure('gateway_timeout', 'no answer'))
  }

  /** The answer went out, or whoever wanted it is gone. */
  readonly #onClosed = (): void => {
    const { res } = this
    if (res.headersSent) this.#leave()
    else this.#fail(new Error('The sender left before the backend answered'))
  }

  #leave(): void {
    if (!this.#finish()) return
    this.#settle.resolve()
  }

  #fail(error: unknown): void {
    if (!this.#finish()) return
    this.#settle.reject(error)
  }

  /** Lets go of everything. False when that was done before. */
  #finish(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    const { res } = this
    clearTimeout(this.#silence)
    this.#stopAsking()
    res.off('close', this.#onClosed)
    this.#stopBody()
    if (!this.#answer?.readableEnded) this.#outgoing.destroy()
    if (res.headersSent && !res.writableEnded) res.destroy()
    return true
  }
}
