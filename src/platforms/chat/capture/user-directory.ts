import { AppError } from '../../../model/app-error.js'
import { idAt } from '../../mapping/payload.js'
import type { ChatUser } from '../context.js'
import type { ChatApi, ChatMessage } from './chat-api.js'

const FRESH_MS = 3_600_000
/** Minimum time between two requests for users that the list lacks. Some never appear. */
const RETRY_MS = 60_000

/** The users of a chat server. Requested when a sender is needed, and again after changes. */
export class UserDirectory {
  #users: ReadonlyMap<string, ChatUser> = new Map()
  #askedAt = Number.NEGATIVE_INFINITY

  /** @param now milliseconds of any monotonic clock */
  constructor(private readonly now: () => number) {}

  /** All users, including the senders of these messages if the server shows them. */
  async usersFor(
    messages: readonly ChatMessage[],
    api: ChatApi,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, ChatUser>> {
    const age = this.now() - this.#askedAt
    const isIncomplete = () => messages.some(({ payload }) => !this.#users.has(idAt(payload, 'sender_id') ?? ''))
    if (age > FRESH_MS || (age > RETRY_MS && isIncomplete())) {
      this.#users = await listUsers(api, signal)
      this.#askedAt = this.now()
    }
    return this.#users
  }
}

/** Some accounts may not read the list. Bots are then recognised by address, or not at all. */
async function listUsers(api: ChatApi, signal: AbortSignal | undefined): Promise<ReadonlyMap<string, ChatUser>> {
  try {
    return await api.users(signal)
  } catch (error) {
    if (error instanceof AppError && DENIED.includes(error.code)) return new Map()
    throw error
  }
}

const DENIED = ['chat_not_permitted', 'chat_request_refused']
