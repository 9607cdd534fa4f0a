import { AppError } from '../../../model/app-error.js'
import { idAt } from '../../payload.js'
import type { ChatUser } from '../context.js'
import type { ChatApi, ChatMessage } from './chat-api.js'

const FRESH_MS = 3_600_000
/** How soon the list is asked for again on account of somebody who is not in it: some never are. */
const RETRY_MS = 60_000

/** The people of a chat server, asked for when a sender is to be known, and again when they have changed. */
export class UserDirectory {
  #users: ReadonlyMap<string, ChatUser> = new Map()
  #askedAt = Number.NEGATIVE_INFINITY

  /** @param now milliseconds of any clock that goes forward */
  constructor(private readonly now: () => number) {}

  /** Everybody, the senders of these messages among them as far as the server tells. */
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

/** Some accounts may not see the list. Who is a bot is then told by addresses, or not at all. */
async function listUsers(api: ChatApi, signal: AbortSignal | undefined): Promise<ReadonlyMap<string, ChatUser>> {
  try {
    return await api.users(signal)
  } catch (error) {
    if (error instanceof AppError && DENIED.includes(error.code)) return new Map()
    throw error
  }
}

const DENIED = ['chat_not_permitted', 'chat_request_refused']
