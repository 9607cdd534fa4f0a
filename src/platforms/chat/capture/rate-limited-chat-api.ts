import { AppError } from '../../../model/app-error.js'
import type { ChatUser } from '../context.js'
import type { ChatApi, ChatMessage, MessagePage, MessageQuery } from './chat-api.js'

export interface RateLimitOptions {
  /** @throws the signal's reason once it is aborted */
  sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>
  /** Called before each wait. */
  onWait?: (seconds: number) => void
  /** Maximum total waiting time of one request. Default: a minute, because other watches wait for it. */
  longestSeconds?: number
}

const LONGEST_SECONDS = 60
/** Minimum pause, for servers that ask for none. Each further refusal doubles it. */
const SHORTEST_SECONDS = 0.1

/**
 * A chat server's API that waits when the server asks, up to a limit in total. For a longer wait it throws
 * `unavailable/chat_rate_limited`.
 *
 * Source: decisions, section 6.
 */
export class RateLimitedChatApi implements ChatApi {
  constructor(
    private readonly api: ChatApi,
    private readonly patience: RateLimitOptions,
  ) {}

  featureLevel(signal?: AbortSignal): Promise<number> {
    return this.#wait(() => this.api.featureLevel(signal), signal)
  }

  messages(query: MessageQuery, signal?: AbortSignal): Promise<MessagePage> {
    return this.#wait(() => this.api.messages(query, signal), signal)
  }

  message(id: number, signal?: AbortSignal): Promise<ChatMessage | undefined> {
    return this.#wait(() => this.api.message(id, signal), signal)
  }

  users(signal?: AbortSignal): Promise<ReadonlyMap<string, ChatUser>> {
    return this.#wait(() => this.api.users(signal), signal)
  }

  async #wait<Result>(ask: () => Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
    const { sleep, onWait, longestSeconds = LONGEST_SECONDS } = this.patience
    for (let left = longestSeconds, refusals = 0; ; refusals++) {
      try {
        return await ask()
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'chat_rate_limited') throw error
        const seconds = Math.max(error.retryAfterSeconds ?? 0, SHORTEST_SECONDS * 2 ** refusals)
        if (seconds > left) throw error
        left -= seconds
        onWait?.(seconds)
        await sleep(Math.ceil(seconds * 1000), signal)
      }
    }
  }
}
