import { AppError } from '../model/app-error.js'
import type { CaptureLine, CaptureProgress, CaptureRequest, CaptureResult } from '../model/capture.js'
import { fromFailure } from '../model/failure.js'
import { Answer } from './answer.js'
import type { EventParameters } from './event-parameters.js'
import { readJsonLines } from './json-lines.js'
import { toQueryString } from './query-string.js'
import { type CallOptions, callWithBody, isJson, JSON_TYPE, ServerClient, segment } from './server-client.js'
import { LEDGER } from './server-names.js'
import type { ServerAddress } from './transport.js'

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

export type EventMediaType = 'application/json' | 'application/x-ndjson'

const MAX_HELD_SECONDS = 60

/**
 * The ledger's REST API as methods. Answers are handed on as they were sent.
 *
 * Source: Event Ledger Service, "Endpoints" and "Command-line client".
 */
export class LedgerClient extends ServerClient {
  constructor(address: ServerAddress, { credential, idleSeconds }: LedgerClientOptions = {}) {
    const shown = credential?.kind ?? 'nothing'
    super(address, { names: LEDGER, headers: toHeader(credential), hintOf: code => hintOf(code, shown), idleSeconds })
  }

  /** The answer's status is 503 while the ledger cannot record; its text says why. */
  async health(options?: CallOptions): Promise<Answer> {
    const answer = await this.exchange({ method: 'GET', path: '/api/health' }, options)
    return answer.status === 503 && isJson(answer) ? new Answer(503, answer.body) : this.toAnswer(answer)
  }

  stats(options?: CallOptions): Promise<Answer> {
    return this.get('/api/stats', options)
  }

  platforms(options?: CallOptions): Promise<Answer> {
    return this.get('/api/platforms', options)
  }

  schema(name: 'event' | 'subscription', options?: CallOptions): Promise<Answer> {
    return this.get(`/api/schema/${name}`, options)
  }

  subscriptions(options?: CallOptions): Promise<Answer> {
    return this.get('/api/subscriptions', options)
  }

  subscription(id: string, options?: CallOptions): Promise<Answer> {
    return this.get(`/api/subscriptions/${segment('id', id)}`, options)
  }

  /** @param json a subscription, as JSON */
  saveSubscription(json: string | Uint8Array, options?: CallOptions): Promise<Answer> {
    return this.post('/api/subscriptions', JSON_TYPE, json, options)
  }

  deleteSubscription(id: string, options?: CallOptions): Promise<Answer> {
    return this.call({ method: 'DELETE', path: `/api/subscriptions/${segment('id', id)}` }, options)
  }

  /** Who the credential proves the caller to be; nobody is an answer too. */
  session(options?: CallOptions): Promise<Answer> {
    return this.get('/api/session', options)
  }

  users(options?: CallOptions): Promise<Answer> {
    return this.get('/api/users', options)
  }

  /** @param json `username`, `password` and perhaps `role`, as JSON */
  createUser(json: string, options?: CallOptions): Promise<Answer> {
    return this.post('/api/users', JSON_TYPE, json, options)
  }

  /** @param json `role`, `enabled`, `password`: at least one of them, as JSON */
  updateUser(id: string, json: string, options?: CallOptions): Promise<Answer> {
    return this.call(callWithBody('PATCH', userPath(id), JSON_TYPE, json), options)
  }

  deleteUser(id: string, options?: CallOptions): Promise<Answer> {
    return this.call({ method: 'DELETE', path: userPath(id) }, options)
  }

  issueToken(userId: string, options?: CallOptions): Promise<Answer> {
    return this.call({ method: 'POST', path: `${userPath(userId)}/token` }, options)
  }

  tokens(userId: string, options?: CallOptions): Promise<Answer> {
    return this.get(`${userPath(userId)}/tokens`, options)
  }

  revokeToken(userId: string, tokenId: string, options?: CallOptions): Promise<Answer> {
    const path = `${userPath(userId)}/tokens/${segment('token_id', tokenId)}`
    return this.call({ method: 'DELETE', path }, options)
  }

  /** All of that user. */
  revokeTokens(userId: string, options?: CallOptions): Promise<Answer> {
    return this.call({ method: 'DELETE', path: `${userPath(userId)}/token` }, options)
  }

  events(parameters: EventParameters, options?: CallOptions): Promise<Answer> {
    const held = Math.min(Math.max(Number(parameters.wait) || 0, 0), MAX_HELD_SECONDS)
    const idleSeconds = this.idleSeconds + held
    return this.call({ method: 'GET', path: `/api/events${toQueryString(parameters)}`, idleSeconds }, options)
  }

  /** @param dedupeKey as it is; it is percent-encoded here */
  event(dedupeKey: string, options?: CallOptions): Promise<Answer> {
    return this.get(`/api/events/${segment('dedupe_key', dedupeKey)}`, options)
  }

  /** @param body one event or an array as `application/json`, or events a line as `application/x-ndjson` */
  record(body: string | Uint8Array, type: EventMediaType, options?: CallOptions): Promise<Answer> {
    return this.post('/api/events', type, body, options)
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
    const answer = await this.open(call, options)
    try {
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

/** What was shown to say who asks: nothing, an API token, the admin token. */
type ShownCredential = 'nothing' | LedgerCredential['kind']

const REFUSED: Record<ShownCredential, string> = {
  nothing: 'Give an API token with --token or EVENT_API_TOKEN; "daybook users token" issues one.',
  token: 'The API token that was sent counts for nothing here: it is mistyped, revoked, or of a user that is disabled.',
  admin: "The admin token that was sent is not this ledger's.",
}

function hintOf(code: string, shown: ShownCredential): string | undefined {
  if (code === 'unauthenticated') return REFUSED[shown]
  return code === 'forbidden' ? 'Give the API token of an administrator with --token or EVENT_API_TOKEN.' : undefined
}
