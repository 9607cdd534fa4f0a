import type { Agent } from 'node:http'
import { exchange, type HttpAnswer } from '../../../http/exchange.js'
import { HttpFailure } from '../../../http/http-failure.js'
import { AppError } from '../../../model/app-error.js'
import type { ChatAccount } from '../../../model/platforms/chat-account.js'
import { memberOf, type Payload } from '../../mapping/payload.js'
import type { ChatUser } from '../context.js'
import { readAnswer, readFeatureLevel, readMessagePage, readUsers } from './answers.js'
import type { ChatApi, MessagePage, MessageQuery } from './chat-api.js'
import { toChatFailure, toChatRefusal } from './refusals.js'

const IDLE_SECONDS = 30
const TOTAL_SECONDS = 120
/** A thousand messages of the default maximum length, four times over. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** "After everything", for servers that do not support the anchor `newest`. */
const AFTER_ALL = 10_000_000_000_000_000
/** The first level that supports it. */
const LEVEL_OF_ANCHOR_WORDS = 1

/**
 * The platform's API over HTTP: one request at a time over one keep-alive connection.
 *
 * Every method may throw AppError `unauthenticated/chat_credentials_refused`, `invalid/chat_narrow_refused`,
 * `invalid/chat_request_refused`, `forbidden/chat_not_permitted`, `unavailable/chat_…`; the signal's reason once it is
 * aborted.
 *
 * Source: the platform's notes, section 2.5.
 */
export class ChatApiClient implements ChatApi {
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
    this.#level ??= await this.#read('/api/v1/server_settings', readFeatureLevel, signal).catch(withoutSettings)
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
    return this.#read(`/api/v1/messages?${query}`, readMessagePage, signal)
  }

  users(signal?: AbortSignal): Promise<ReadonlyMap<string, ChatUser>> {
    return this.#read('/api/v1/users?client_gravatar=true', readUsers, signal)
  }

  /** Closes the connection. */
  close(): void {
    this.#agent.destroy()
  }

  async #read<Result>(
    path: string,
    read: (answer: Payload) => Result | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    const answer = await this.#get(path, signal)
    const body = readAnswer(answer.body)
    const isSuccess = answer.status === 200 && memberOf(body, 'result') === 'success'
    const result = body && isSuccess ? read(body) : undefined
    if (result === undefined) throw toChatRefusal(answer, isSuccess ? undefined : body, this.account.site)
    return result
  }

  async #get(path: string, signal: AbortSignal | undefined): Promise<HttpAnswer> {
    const { site } = this.account
    try {
      return await exchange(
        { baseUrl: site },
        {
          ...{ method: 'GET', path, headers: this.#headers, agent: this.#agent, signal },
          ...{ idleSeconds: IDLE_SECONDS, totalSeconds: TOTAL_SECONDS, maxAnswerBytes: MAX_ANSWER_BYTES },
        },
      )
    } catch (error) {
      throw error instanceof HttpFailure ? toChatFailure(error, site) : error
    }
  }
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
