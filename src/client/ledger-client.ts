import type { Agent } from 'node:http'
import { isObject } from '../model/json-object.js'
import { Answer, LEDGER } from './answer.js'
import type { EventParameters, ExportParameters } from './event-pages.js'
import { hintOf, type LedgerCredential, toHeader } from './ledger-credential.js'
import { isOfLedger, notADaybookServer, otherProgram } from './problem.js'
import {
  type CallOptions,
  callWithBody,
  isJson,
  JSON_TYPE,
  type ServerCall,
  ServerClient,
  segment,
  toQueryString,
} from './server-client.js'
import type { ServerAddress } from './transport.js'

interface LedgerClientOptions {
  credential?: LedgerCredential
  /** Maximum idle time of a connection, in addition to a requested long poll. */
  idleSeconds?: number
  /** Keeps connections open between requests. By default each request has its own. */
  agent?: Agent
}

type EventMediaType = 'application/json' | 'application/x-ndjson'

const MAX_HELD_SECONDS = 60
/** A page of a copy has at least one event, and its limits count the stored text. */
const MAX_COPY_BYTES = 64 * 1024 * 1024
const MAX_STATE_BYTES = 256 * 1024 * 1024

/**
 * The ledger's REST API as methods. Responses are returned as sent.
 *
 * Source: Event Ledger Service, "Endpoints" and "Command-line client".
 */
export class LedgerClient extends ServerClient {
  constructor(address: ServerAddress, { credential, ...options }: LedgerClientOptions = {}) {
    const shown = credential?.kind ?? 'nothing'
    super(address, { names: LEDGER, headers: toHeader(credential), hintOf: code => hintOf(code, shown), ...options })
  }

  /**
   * The status is 503 while the ledger cannot record; the text gives the reason.
   *
   * @throws AppError `…/not_a_ledger` also if a board responds: its health has no head, or it asks for a login,
   *   which a ledger's health never does
   */
  async health(): Promise<Answer> {
    const answer = await this.exchange({ method: 'GET', path: '/api/health' })
    if (answer.status === 503 && isJson(answer)) return new Answer(503, answer.body)
    if (answer.status === 401) throw notADaybookServer(401, LEDGER)
    const health = this.toAnswer(answer)
    if (isOfLedger(health.json())) return health
    throw otherProgram(health, LEDGER) ?? notADaybookServer(answer.status, LEDGER)
  }

  async stats(options?: CallOptions): Promise<Answer> {
    const answer = await this.get('/api/stats', options)
    return answer.expect('the counts of a ledger', ({ event_count }) => typeof event_count === 'number')
  }

  deliveries(): Promise<Answer> {
    return this.get('/api/deliveries')
  }

  platforms(options?: CallOptions): Promise<Answer> {
    return this.#list('/api/platforms', 'platforms', options)
  }

  schema(name: 'event' | 'subscription'): Promise<Answer> {
    return this.get(`/api/schema/${name}`)
  }

  /** One page; all of them if `limit` and `after` are absent. */
  subscriptions(page: { limit?: string; after?: string } = {}, options?: CallOptions): Promise<Answer> {
    return this.get(`/api/subscriptions${toQueryString(page)}`, options)
  }

  subscription(id: string): Promise<Answer> {
    return this.get(`/api/subscriptions/${segment('id', id)}`)
  }

  /** @param json a subscription, as JSON */
  async saveSubscription(json: string | Uint8Array): Promise<Answer> {
    const answer = await this.post('/api/subscriptions', JSON_TYPE, json)
    return answer.expect('a saved subscription', ({ subscription }) => isObject(subscription))
  }

  /** @param json a draft of a subscription, as JSON */
  previewSubscription(json: string | Uint8Array): Promise<Answer> {
    return this.post('/api/subscriptions/preview', JSON_TYPE, json)
  }

  /** Enables or disables a stored subscription, and changes nothing else of it. */
  async switchSubscription(id: string, enabled: boolean): Promise<Answer> {
    const source: unknown = Reflect.get(Object((await this.subscription(id)).json()), 'source')
    return this.saveSubscription(JSON.stringify({ id, source, enabled }))
  }

  deleteSubscription(id: string): Promise<Answer> {
    return this.call({ method: 'DELETE', path: `/api/subscriptions/${segment('id', id)}` })
  }

  sources(): Promise<Answer> {
    return this.#list('/api/sources', 'sources')
  }

  source(name: string): Promise<Answer> {
    return this.get(sourcePath(name))
  }

  /** @param json `definition` and `secrets`, as JSON */
  saveSource(name: string, json: string): Promise<Answer> {
    return this.call(callWithBody('PUT', sourcePath(name), JSON_TYPE, json))
  }

  deleteSource(name: string): Promise<Answer> {
    return this.call({ method: 'DELETE', path: sourcePath(name) })
  }

  remapSource(name: string): Promise<Answer> {
    return this.call({ method: 'POST', path: `${sourcePath(name)}/remap` })
  }

  readFeed(name: string): Promise<Answer> {
    return this.call({ method: 'POST', path: `${sourcePath(name)}/read` })
  }

  consumers(options?: CallOptions): Promise<Answer> {
    return this.#list('/api/consumers', 'consumers', options)
  }

  consumer(name: string, options?: CallOptions): Promise<Answer> {
    return this.get(consumerPath(name), options)
  }

  /** @param json filters and position */
  saveConsumer(name: string, json: string, options?: CallOptions): Promise<Answer> {
    return this.call(callWithBody('PUT', consumerPath(name), JSON_TYPE, json), options)
  }

  deleteConsumer(name: string): Promise<Answer> {
    return this.call({ method: 'DELETE', path: consumerPath(name) })
  }

  consumerEvents(name: string, query: ConsumerQuery, options?: CallOptions): Promise<Answer> {
    const path = `${consumerPath(name)}/events${toQueryString(query)}`
    return this.call({ method: 'GET', path, idleSeconds: this.idleSeconds + Number(query.wait ?? 0) }, options)
  }

  /** @param json an acknowledgement */
  acknowledge(name: string, json: string, options?: CallOptions): Promise<Answer> {
    return this.post(`${consumerPath(name)}/ack`, JSON_TYPE, json, options)
  }

  /** @param json a position */
  seekConsumer(name: string, json: string, options?: CallOptions): Promise<Answer> {
    return this.post(`${consumerPath(name)}/seek`, JSON_TYPE, json, options)
  }

  deadLetters(name: string, page: { limit?: string; after?: string }): Promise<Answer> {
    return this.get(`${consumerPath(name)}/dead-letters${toQueryString(page)}`)
  }

  /** @param id absent: all of them */
  retryDeadLetters(name: string, id?: string): Promise<Answer> {
    return this.call({ method: 'POST', path: `${deadLetterPath(name, id)}/retry` })
  }

  /** @param id absent: all of them */
  deleteDeadLetters(name: string, id?: string): Promise<Answer> {
    return this.call({ method: 'DELETE', path: deadLetterPath(name, id) })
  }

  /** Who the credential proves the caller to be, which may be anonymous. */
  async session(): Promise<Answer> {
    const answer = await this.get('/api/session')
    // A board has sessions too, without this member.
    const isOfLedger = typeof Object(answer.json()).admin_required === 'boolean'
    if (!isOfLedger) await this.refuseOtherProgram()
    return answer.expect('a session of a ledger', () => isOfLedger)
  }

  users(): Promise<Answer> {
    return this.#list('/api/users', 'users')
  }

  /** Newest first. */
  accountLog(limit: number): Promise<Answer> {
    return this.get(`/api/users/log${toQueryString({ limit: String(limit) })}`)
  }

  /** @param json `username`, `password` and perhaps `role`, as JSON */
  createUser(json: string): Promise<Answer> {
    return this.post('/api/users', JSON_TYPE, json)
  }

  /** @param json at least one of `role`, `enabled`, `password`, as JSON */
  updateUser(id: string, json: string): Promise<Answer> {
    return this.call(callWithBody('PATCH', userPath(id), JSON_TYPE, json))
  }

  deleteUser(id: string): Promise<Answer> {
    return this.call({ method: 'DELETE', path: userPath(id) })
  }

  /** @param json the token's terms; absent: all rights of its user, without an end */
  async issueToken(userId: string, json?: string): Promise<Answer> {
    const path = `${userPath(userId)}/token`
    const call: ServerCall = json === undefined ? { method: 'POST', path } : callWithBody('POST', path, JSON_TYPE, json)
    return (await this.call(call)).expect('an API token', ({ token }) => typeof token === 'string')
  }

  tokens(userId: string): Promise<Answer> {
    return this.get(`${userPath(userId)}/tokens`)
  }

  revokeToken(userId: string, tokenId: string): Promise<Answer> {
    const path = `${userPath(userId)}/tokens/${segment('token_id', tokenId)}`
    return this.call({ method: 'DELETE', path })
  }

  /** Revokes all tokens of the user. */
  revokeTokens(userId: string): Promise<Answer> {
    return this.call({ method: 'DELETE', path: `${userPath(userId)}/token` })
  }

  /** The browser sessions of the user. */
  sessions(userId: string): Promise<Answer> {
    return this.get(`${userPath(userId)}/sessions`)
  }

  endSession(userId: string, sessionId: string): Promise<Answer> {
    const path = `${userPath(userId)}/sessions/${segment('session_id', sessionId)}`
    return this.call({ method: 'DELETE', path })
  }

  /** Ends all browser sessions of the user. */
  endSessions(userId: string): Promise<Answer> {
    return this.call({ method: 'DELETE', path: `${userPath(userId)}/sessions` })
  }

  events(parameters: EventParameters, options?: CallOptions): Promise<Answer> {
    const held = Math.min(Math.max(Number(parameters.wait) || 0, 0), MAX_HELD_SECONDS)
    const idleSeconds = this.idleSeconds + held
    return this.call({ method: 'GET', path: `/api/events${toQueryString(parameters)}`, idleSeconds }, options)
  }

  /**
   * Every event that matches, as it arrives.
   *
   * @throws AppError `unavailable/connection_lost` if the server cannot send the rest
   */
  async *export(parameters: ExportParameters, options?: CallOptions): AsyncGenerator<Buffer> {
    const path = `/api/export${toQueryString(parameters)}`
    const answer = await this.open({ method: 'GET', path, maxAnswerBytes: Number.POSITIVE_INFINITY }, options)
    try {
      const type = answer.headers['content-type'] ?? ''
      if (!/^(?:application\/x-ndjson|text\/csv)\b/.test(type)) throw notADaybookServer(answer.status, LEDGER)
      yield* answer.chunks()
    } finally {
      answer.end()
    }
  }

  /** A part of the ledger for another one: JSON lines. */
  async copy(range: { since?: string; changes?: string; limit?: string }, options?: CallOptions): Promise<Buffer> {
    const path = `/api/copy${toQueryString(range)}`
    const answer = await this.exchange({ method: 'POST', path, maxAnswerBytes: MAX_COPY_BYTES }, options)
    if (answer.status === 200 && /^application\/x-ndjson\b/.test(answer.headers['content-type'] ?? ''))
      return answer.body
    this.toAnswer(answer)
    throw notADaybookServer(answer.status, LEDGER)
  }

  /** The state of the ledger without its events. @param unless SHA-256 of an earlier answer: 204 if it is the same */
  copyState(unless?: string, options?: CallOptions): Promise<Answer> {
    const path = `/api/copy/state${toQueryString({ unless })}`
    return this.call({ method: 'POST', path, maxAnswerBytes: MAX_STATE_BYTES }, options)
  }

  /** @param json the request, as JSON */
  promote(json: string): Promise<Answer> {
    return this.post('/api/promotion', JSON_TYPE, json)
  }

  /** @param dedupeKey not encoded; this method percent-encodes it */
  event(dedupeKey: string): Promise<Answer> {
    return this.get(`/api/events/${segment('dedupe_key', dedupeKey)}`)
  }

  /** @param body one event or an array as `application/json`, or one event per line as `application/x-ndjson` */
  async record(body: string | Uint8Array, type: EventMediaType): Promise<Answer> {
    const answer = await this.post('/api/events', type, body)
    return answer.expect('a count of recorded events', ({ created }) => ['boolean', 'number'].includes(typeof created))
  }

  /** @param json the request, as JSON */
  erase(json: string): Promise<Answer> {
    return this.post('/api/erasures', JSON_TYPE, json)
  }

  async #list(path: string, noun: string, options?: CallOptions): Promise<Answer> {
    return (await this.get(path, options)).expect(`a list of ${noun}`, ({ items }) => Array.isArray(items))
  }
}

/** In place of a user's id: the user that the credential belongs to. */
export const OWN = 'me'

function sourcePath(name: string): string {
  return `/api/sources/${segment('name', name)}`
}

function userPath(id: string): string {
  return id === OWN ? '/api/me' : `/api/users/${segment('id', id)}`
}

/** The query of `GET /api/consumers/{name}/events`. */
interface ConsumerQuery {
  wait?: string | undefined
  limit?: string | undefined
  fence?: string | undefined
  lease_seconds?: string | undefined
}

function consumerPath(name: string): string {
  return `/api/consumers/${segment('name', name)}`
}

function deadLetterPath(name: string, id: string | undefined): string {
  return `${consumerPath(name)}/dead-letters${id === undefined ? '' : `/${segment('id', id)}`}`
}
