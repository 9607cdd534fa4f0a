import type { Agent } from 'node:http'
import { exchange, type HttpAnswer } from '../../../http/exchange.js'
import { HttpFailure } from '../../../http/http-failure.js'
import { AppError } from '../../../model/app-error.js'
import type { ChatAccount } from '../../../model/platforms/chat-account.js'
import { memberOf, type Payload } from '../../mapping/payload.js'
import type { ChatUser } from '../context.js'
import {
  isUnknownMessage,
  readAnswer,
  readFeatureLevel,
  readMessagePage,
  readOneMessage,
  readQueue,
  readQueueEvents,
  readUsers,
} from './answers.js'
import type { ChatApi, ChatMessage, ChatQueue, MessagePage, MessageQuery, QueueApi, QueueEvents } from './chat-api.js'
import { toChatFailure, toChatRefusal } from './chat-refusals.js'

const IDLE_SECONDS = 30
const TOTAL_SECONDS = 120
/** Four times the size of a thousand messages of the default maximum length. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** A position after all messages, for servers that do not support the anchor `newest`. */
const AFTER_ALL = 10_000_000_000_000_000
/** The first feature level that supports it. */
const LEVEL_OF_ANCHOR_WORDS = 1

/** Parameters that register an event queue. Messages arrive in the form of `GET /messages`. */
const QUEUE: Readonly<Record<string, string>> = {
  event_types: JSON.stringify(['message', 'update_message', 'delete_message', 'reaction', 'stream']),
  // No initial state of the server, only later events.
  fetch_event_types: '[]',
  all_public_streams: 'false',
  apply_markdown: 'false',
  client_gravatar: 'true',
  client_capabilities: JSON.stringify({
    notification_settings_null: false,
    bulk_message_deletion: true,
    empty_topic_name: true,
  }),
  // Servers from version 12 on then keep the queue longer than their default of ten minutes while its reader is away.
  idle_queue_timeout: '3600',
}

/**
 * The platform's API over HTTP: one request at a time over one keep-alive connection.
 *
 * Every method may throw AppError `unauthenticated/chat_credentials_refused`, `invalid/chat_narrow_refused`,
 * `invalid/chat_request_refused`, `forbidden/chat_not_permitted`, `unavailable/chat_…`; the signal's reason once it is
 * aborted.
 *
 * Source: the platform's notes, section 2.5.
 */
export class ChatApiClient implements ChatApi, QueueApi {
  readonly #agent: Agent
  readonly #headers: Readonly<Record<string, string>>
  #level: number | undefined

  constructor(private readonly account: ChatAccount) {
    const { email, api_key } = account
    this.#agent = toAgent(account)
    this.#headers = {
      accept: 'application/json',
      'user-agent': 'Daybook',
      authorization: `Basic ${Buffer.from(`${email}:${api_key}`).toString('base64')}`,
    }
  }

  async featureLevel(signal?: AbortSignal): Promise<number> {
    this.#level ??= await this.#read({ path: '/api/v1/server_settings' }, readFeatureLevel, signal).catch(
      withoutSettings,
    )
    return this.#level
  }

  async messages(
    { narrow, anchor, before, after, withAnchor }: MessageQuery,
    signal?: AbortSignal,
  ): Promise<MessagePage> {
    const knowsWords = anchor !== 'newest' || (await this.featureLevel(signal)) >= LEVEL_OF_ANCHOR_WORDS
    const query = new URLSearchParams({
      anchor: String(knowsWords ? anchor : AFTER_ALL),
      num_before: String(before),
      num_after: String(after),
      include_anchor: String(withAnchor),
      narrow: JSON.stringify(narrow),
      // The same form as in outgoing webhooks, so that both routes agree.
      apply_markdown: 'false',
      client_gravatar: 'true',
      allow_empty_topic_name: 'true',
    })
    return this.#read({ path: `/api/v1/messages?${query}` }, readMessagePage, signal)
  }

  async message(id: number, signal?: AbortSignal): Promise<ChatMessage | undefined> {
    const query = new URLSearchParams({ apply_markdown: 'false', allow_empty_topic_name: 'true' })
    const answer = await this.#ask({ path: `/api/v1/messages/${id}?${query}` }, signal)
    if (isUnknownMessage(answer.status, readAnswer(answer.body))) return undefined
    return this.#readAnswer(answer, body => readOneMessage(body, id))
  }

  users(signal?: AbortSignal): Promise<ReadonlyMap<string, ChatUser>> {
    return this.#read({ path: '/api/v1/users?client_gravatar=true' }, readUsers, signal)
  }

  async registerQueue(signal?: AbortSignal): Promise<ChatQueue> {
    return this.#read({ method: 'POST', path: '/api/v1/register', form: QUEUE }, readQueue, signal)
  }

  async queueEvents(
    { id, lastEventId, waitSeconds }: ChatQueue,
    { isWaiting = true } = {},
    signal?: AbortSignal,
  ): Promise<QueueEvents> {
    const query = new URLSearchParams({
      queue_id: id,
      last_event_id: String(lastEventId),
      dont_block: String(!isWaiting),
    })
    const call = { path: `/api/v1/events?${query}`, ...(isWaiting ? { waitSeconds } : {}) }
    try {
      return await this.#read(call, answer => readQueueEvents(answer, lastEventId), signal)
    } catch (error) {
      throw error instanceof AppError && error.code === 'chat_request_refused' ? toQueueLost(error) : error
    }
  }

  /** Closes the connection. */
  close(): void {
    this.#agent.destroy()
  }

  async #read<Result>(
    call: ApiCall,
    read: (answer: Payload) => Result | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    return this.#readAnswer(await this.#ask(call, signal), read)
  }

  #readAnswer<Result>(answer: HttpAnswer, read: (answer: Payload) => Result | undefined): Result {
    const body = readAnswer(answer.body)
    const isSuccess = answer.status === 200 && memberOf(body, 'result') === 'success'
    const result = body && isSuccess ? read(body) : undefined
    if (result === undefined) throw toChatRefusal(answer, isSuccess ? undefined : body, this.account.site)
    return result
  }

  async #ask(
    { method = 'GET', path, form, waitSeconds }: ApiCall,
    signal: AbortSignal | undefined,
  ): Promise<HttpAnswer> {
    const { site } = this.account
    const type = form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}
    try {
      return await exchange(
        { baseUrl: site },
        {
          method,
          path,
          headers: { ...this.#headers, ...type },
          agent: this.#agent,
          signal,
          ...(form ? { body: new URLSearchParams(form).toString() } : {}),
          idleSeconds: waitSeconds ?? IDLE_SECONDS,
          totalSeconds: Math.max(waitSeconds ?? 0, TOTAL_SECONDS),
          maxAnswerBytes: MAX_ANSWER_BYTES,
        },
      )
    } catch (error) {
      throw error instanceof HttpFailure ? toChatFailure(error, site) : error
    }
  }
}

interface ApiCall {
  /** Default: GET. */
  method?: 'GET' | 'POST'
  /** With its query. */
  path: string
  /** The body of a POST. */
  form?: Readonly<Record<string, string>>
  /** How long the server may wait before it answers. */
  waitSeconds?: number
}

/** The server has the queue, but no longer the events after the given one. It refuses without a code of its own. */
function toQueueLost({ message, cause }: AppError): AppError {
  return new AppError('unavailable', 'chat_queue_lost', message, { cause })
}

/** A server without this endpoint has the oldest level. */
function withoutSettings(error: unknown): number {
  if (error instanceof AppError && error.code === 'chat_request_refused') return 0
  throw error
}

function toAgent({ site, tls }: ChatAccount): Agent {
  const options = { keepAlive: true, maxSockets: 1 }
  if (!site.startsWith('https:')) return new (process.getBuiltinModule('node:http').Agent)(options)
  const { ca, cert, key, insecure } = tls ?? {}
  return new (process.getBuiltinModule('node:https').Agent)({
    ...options,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(insecure ? { rejectUnauthorized: false } : {}),
  })
}
