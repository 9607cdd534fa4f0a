import { AppError } from '../../../model/app-error.js'
import type { ChatUser } from '../context.js'
import type { ChatApi, MessagePage, MessageQuery } from './chat-api.js'

export interface Patience {
  /** @throws the signal's reason once it is aborted */
  sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>
  /** Told before each wait. */
  onWait?: (seconds: number) => void
}

/** How long one request waits in all, however often it is told to. */
const LONGEST_SECONDS = 60
/** A server that says "at once" again and again must not be asked without a pause. */
const SHORTEST_SECONDS = 0.1

/**
 * A chat server's API that waits when it is told to, as long as it is told, up to a minute; then, or when that would
 * not be enough, the refusal rises: `unavailable/chat_rate_limited`.
 *
 * Source: decisions, section 6.
 */
export class PatientChatApi implements ChatApi {
  constructor(
    private readonly api: ChatApi,
    private readonly patience: Patience,
  ) {}

  featureLevel(signal?: AbortSignal): Promise<number> {
    return this.#wait(() => this.api.featureLevel(signal), signal)
  }

  messages(query: MessageQuery, signal?: AbortSignal): Promise<MessagePage> {
    return this.#wait(() => this.api.messages(query, signal), signal)
  }

  users(signal?: AbortSignal): Promise<ReadonlyMap<string, ChatUser>> {
    return this.#wait(() => this.api.users(signal), signal)
  }

  async #wait<Result>(ask: () => Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
    const { sleep, onWait } = this.patience
    for (let left = LONGEST_SECONDS; ; ) {
      try {
        return await ask()
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'chat_rate_limited') throw error
        const seconds = Math.max(error.retryAfterSeconds ?? 0, SHORTEST_SECONDS)
        if (seconds > left) throw error
        left -= seconds
        onWait?.(seconds)
        await sleep(Math.ceil(seconds * 1000), signal)
      }
    }
  }
}
