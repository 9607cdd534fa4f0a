import { type HttpAnswer, readWhole } from '../http/exchange.js'
import { AppError, invalidField } from '../model/app-error.js'
import type { CaptureLine, CaptureProgress, CaptureRequest, CaptureResult } from '../model/capture.js'
import { fromFailure } from '../model/failure.js'
import { Answer } from './answer.js'
import { type EventParameters, toQueryString } from './event-parameters.js'
import { readJsonLines } from './json-lines.js'
import { notALedger, type ShownCredential, toAppError } from './problem.js'
import { exchange, type LedgerAddress, openAnswer, type TransportCall } from './transport.js'

/** What a request shows to say who sends it. */
export interface LedgerCredential {
  /** An API token goes as `Authorization: Bearer`, the admin token as `X-Event-Admin-Token`. */
  kind: 'token' | 'admin'
  secret: string
}

export interface LedgerClientOptions {
  credential?: LedgerCredential
  /** How long a connection may be silent, beyond what a question asks to be held. */
  idleSeconds?: number
}

export interface CallOptions {
  signal?: AbortSignal
}

export type EventMediaType = 'application/json' | 'application/x-ndjson'

const JSON_TYPE = 'application/json'
const IDLE_SECONDS = 60
const MAX_HELD_SECONDS = 60

/**
 * The ledger's REST API as methods. Answers are handed on as they were sent.
 *
 * Every method may throw AppError with the category of the status and the `code` of the problem that was answered,
 * and what `exchange` throws; `unavailable/server_unreachable` when no server is there.
 *
 * Source: Event Ledger Service, "Endpoints" and "Command-line client".
 */
export class LedgerClient {
  readonly #headers: Readonly<Record<string, string>>
  readonly #shown: ShownCredential
  readonly #idleSeconds: number

  constructor(
    readonly address: LedgerAddress,
    { credential, idleSeconds = IDLE_SECONDS }: LedgerClientOptions = {},
  ) {
    this.#headers = { accept: 'application/json, application/problem+json', ...toHeader(credential) }
    this.#shown = credential?.kind ?? 'nothing'
    this.#idleSeconds = idleSeconds
  }

  /** The answer's status is 503 while the ledger cannot record; its text says why. */
  async health(options?: CallOptions): Promise<Answer> {
    const answer = await this.#exchange({ method: 'GET', path: '/api/health' }, options)
    return answer.status === 503 && isJson(answer) ? new Answer(503, answer.body) : this.#toAnswer(answer)
  }

  stats(options?: CallOptions): Promise<Answer> {
    return this.#get('/api/stats', options)
  }

  platforms(options?: CallOptions): Promise<Answer> {
    return this.#get('/api/platforms', options)
  }

  schema(name: 'event' | 'subscription', options?: CallOptions): Promise<Answer> {
    return this.#get(`/api/schema/${name}`, options)
  }

  subscriptions(options?: CallOptions): Promise<Answer> {
    return this.#get('/api/subscriptions', options)
  }

  subscription(id: string, options?: CallOptions): Promise<Answer> {
    return this.#get(`/api/subscriptions/${segment('id', id)}`, options)
  }

  /** @param json a subscription, as JSON */
  saveSubscription(json: string | Uint8Array, options?: CallOptions): Promise<Answer> {
    return this.#post('/api/subscriptions', JSON_TYPE, json, options)
  }

  deleteSubscription(id: string, options?: CallOptions): Promise<Answer> {
    return this.#call({ method: 'DELETE', path: `/api/subscriptions/${segment('id', id)}` }, options)
  }

  /** Who the credential proves the caller to be; nobody is an answer too. */
  session(options?: CallOptions): Promise<Answer> {
    return this.#get('/api/session', options)
  }

  users(options?: CallOptions): Promise<Answer> {
    return this.#get('/api/users', options)
  }

  /** @param json `username`, `password` and perhaps `role`, as JSON */
  createUser(json: string, options?: CallOptions): Promise<Answer> {
    return this.#post('/api/users', JSON_TYPE, json, options)
  }

  /** @param json `role`, `enabled`, `password`: at least one of them, as JSON */
  updateUser(id: string, json: string, options?: CallOptions): Promise<Answer> {
    return this.#call(callWithBody('PATCH', userPath(id), JSON_TYPE, json), options)
  }

  deleteUser(id: string, options?: CallOptions): Promise<Answer> {
    return this.#call({ method: 'DELETE', path: userPath(id) }, options)
  }

  issueToken(userId: string, options?: CallOptions): Promise<Answer> {
    return this.#call({ method: 'POST', path: `${userPath(userId)}/token` }, options)
  }

  tokens(userId: string, options?: CallOptions): Promise<Answer> {
    return this.#get(`${userPath(userId)}/tokens`, options)
  }

  revokeToken(userId: string, tokenId: string, options?: CallOptions): Promise<Answer> {
    const path = `${userPath(userId)}/tokens/${segment('token_id', tokenId)}`
    return this.#call({ method: 'DELETE', path }, options)
  }

  /** All of that user. */
  revokeTokens(userId: string, options?: CallOptions): Promise<Answer> {
    return this.#call({ method: 'DELETE', path: `${userPath(userId)}/token` }, options)
  }

  events(parameters: EventParameters, options?: CallOptions): Promise<Answer> {
    const held = Math.min(Math.max(Number(parameters.wait) || 0, 0), MAX_HELD_SECONDS)
    const idleSeconds = this.#idleSeconds + held
    return this.#call({ method: 'GET', path: `/api/events${toQueryString(parameters)}`, idleSeconds }, options)
  }

  /** @param dedupeKey as it is; it is percent-encoded here */
  event(dedupeKey: string, options?: CallOptions): Promise<Answer> {
    return this.#get(`/api/events/${segment('dedupe_key', dedupeKey)}`, options)
  }

  /** @param body one event or an array as `application/json`, or events a line as `application/x-ndjson` */
  record(body: string | Uint8Array, type: EventMediaType, options?: CallOptions): Promise<Answer> {
    return this.#post('/api/events', type, body, options)
  }

  /**
   * Captures watches, in the process that owns the ledger; it answers that through its socket alone.
   *
   * @throws AppError `unavailable/connection_lost` when it ended before it was done; what is recorded stays
   */
  async capture(
    request: CaptureRequest,
    onProgress: (progress: CaptureProgress) => void,
    options?: CallOptions,
  ): Promise<CaptureResult> {
    const call = callWithBody('POST', '/api/captures', JSON_TYPE, JSON.stringify(request))
    const answer = await openAnswer(this.address, this.#withDefaults(call, options))
    try {
      if (answer.status >= 400) throw toAppError(await readWhole(answer), this.#shown)
      for await (const line of readJsonLines(answer.status, answer.chunks()) as AsyncGenerator<CaptureLine>) {
        if ('result' in line) return line.result
        if ('failure' in line) throw fromFailure(line.failure)
        onProgress(line.progress)
      }
    } finally {
      answer.end()
    }
    throw new AppError('unavailable', 'connection_lost', 'The server ended before the capture was done. Try again.')
  }

  #get(path: string, options?: CallOptions): Promise<Answer> {
    return this.#call({ method: 'GET', path }, options)
  }

  #post(path: string, type: string, body: string | Uint8Array, options?: CallOptions): Promise<Answer> {
    return this.#call(callWithBody('POST', path, type, body), options)
  }

  async #call(call: LedgerCall, options?: CallOptions): Promise<Answer> {
    return this.#toAnswer(await this.#exchange(call, options))
  }

  #toAnswer(answer: HttpAnswer): Answer {
    if (answer.status >= 400) throw toAppError(answer, this.#shown)
    return toAnswer(answer)
  }

  #exchange(call: LedgerCall, options?: CallOptions): Promise<HttpAnswer> {
    return exchange(this.address, this.#withDefaults(call, options))
  }

  #withDefaults(call: LedgerCall, options?: CallOptions): TransportCall {
    const headers = { ...this.#headers, ...call.headers }
    return { idleSeconds: this.#idleSeconds, ...call, headers, signal: options?.signal }
  }
}

type LedgerCall = Pick<TransportCall, 'method' | 'path' | 'body'> &
  Partial<Pick<TransportCall, 'headers' | 'idleSeconds'>>

function callWithBody(method: 'POST' | 'PATCH', path: string, type: string, body: string | Uint8Array): LedgerCall {
  const headers = { 'content-type': type, 'content-length': String(Buffer.byteLength(body)) }
  return { method, path, body, headers }
}

function userPath(id: string): string {
  return `/api/users/${segment('id', id)}`
}

function toHeader(credential: LedgerCredential | undefined): Record<string, string> {
  if (!credential) return {}
  return credential.kind === 'token'
    ? { authorization: `Bearer ${credential.secret}` }
    : { 'x-event-admin-token': credential.secret }
}

function toAnswer(answer: HttpAnswer): Answer {
  const expected = answer.status === 204 || (answer.status >= 200 && answer.status < 300 && isJson(answer))
  if (!expected) throw notALedger(answer.status)
  return new Answer(answer.status, answer.body)
}

function isJson({ headers }: HttpAnswer): boolean {
  return /^application\/(?:[a-z0-9.-]+\+)?json\b/i.test(headers['content-type'] ?? '')
}

/** One segment of a path. Empty it would name something else, and with half a character in it nothing at all. */
function segment(field: string, text: string): string {
  if (text === '') throw invalidField(field, `${field} is empty.`)
  try {
    return encodeURIComponent(text)
  } catch (cause) {
    if (cause instanceof URIError) throw invalidField(field, `${field} is not well-formed Unicode.`)
    throw cause
  }
}
