import type { AccountLogEntry } from '../../model/accounts/account-log.js'
import { AppError } from '../../model/app-error.js'
import type {
  LastAdminRule,
  ListedStoredUser,
  OwnedToken,
  StoredToken,
  StoredUser,
  UserChanges,
  UserStore,
} from '../user-store.js'
import type { StoreThread } from './store-thread.js'
import type { LastAdmin } from './user-table.js'

/**
 * Users and their tokens over the store's thread, which answers a refusal as a result (`user-table.ts`).
 *
 * Requests that come while the same row is being read share that reading. Nobody gets less than the newest by it: the
 * thread answers in order, so whatever was read before a change is handed out before that change is told to anybody.
 */
export class SqliteUserStore implements UserStore {
  readonly #users = new SharedReads<StoredUser | undefined>()
  readonly #tokens = new SharedReads<OwnedToken | undefined>()
  /** Each request asks for it, and only this process can change it. */
  #isClosed: Promise<boolean> | undefined

  constructor(private readonly thread: StoreThread) {}

  async isClosed(): Promise<boolean> {
    const answer = this.#isClosed ?? this.thread.read<boolean>({ task: 'is_closed' })
    this.#isClosed = answer
    try {
      return await answer
    } catch (error) {
      if (this.#isClosed === answer) this.#isClosed = undefined
      throw error
    }
  }

  async markClosed(): Promise<void> {
    await this.thread.write({ task: 'mark_closed' })
    this.#isClosed = Promise.resolve(true)
  }

  findById(userId: string): Promise<StoredUser | undefined> {
    return this.#users.share(userId, () => this.thread.read({ task: 'find_user', userId }))
  }

  findByUsername(username: string): Promise<StoredUser | undefined> {
    return this.thread.read({ task: 'find_user_by_name', username })
  }

  list(): Promise<ListedStoredUser[]> {
    return this.thread.read({ task: 'list_users' })
  }

  async create(user: StoredUser, log?: AccountLogEntry): Promise<void> {
    if (await this.thread.write<boolean>({ task: 'create_user', user, log })) {
      this.#isClosed = Promise.resolve(true)
      return
    }
    throw new AppError('conflict', 'username_taken', 'A user of that name exists; upper and lower case are one.', {
      hint: 'Choose another username.',
    })
  }

  async update(
    userId: string,
    changes: UserChanges,
    rule: LastAdminRule,
    log?: AccountLogEntry,
  ): Promise<StoredUser | undefined> {
    return orLastAdmin(await this.thread.write({ task: 'update_user', userId, changes, rule, log }))
  }

  async delete(userId: string, rule: LastAdminRule, log?: AccountLogEntry): Promise<boolean> {
    return orLastAdmin<boolean>(await this.thread.write({ task: 'delete_user', userId, rule, log }))
  }

  async addToken(token: StoredToken, keep: number, log?: AccountLogEntry): Promise<void> {
    if (await this.thread.write<boolean>({ task: 'add_token', token, keep, log })) return
    throw new AppError('not_found', 'not_found', 'There is no such user.', {
      hint: 'List them with `daybook users list`.',
    })
  }

  findByTokenDigest(digest: string): Promise<OwnedToken | undefined> {
    return this.#tokens.share(digest, () => this.thread.read({ task: 'find_token', digest }))
  }

  noteTokenUse(tokenId: string, at: string): Promise<void> {
    return this.thread.write({ task: 'note_token_use', tokenId, at })
  }

  listTokens(userId: string): Promise<StoredToken[]> {
    return this.thread.read({ task: 'list_tokens', userId })
  }

  deleteToken(userId: string, tokenId: string, log?: AccountLogEntry): Promise<boolean> {
    return this.thread.write({ task: 'delete_token', userId, tokenId, log })
  }

  deleteTokens(userId: string, log?: AccountLogEntry): Promise<number> {
    return this.thread.write({ task: 'delete_tokens', userId, log })
  }

  addToLog(entry: AccountLogEntry): Promise<void> {
    return this.thread.write({ task: 'log_account', entry })
  }

  listLog(limit: number): Promise<AccountLogEntry[]> {
    return this.thread.read({ task: 'list_account_log', limit })
  }
}

/** What is being read at this moment; nothing stays once it is there. */
class SharedReads<Result> {
  readonly #reading = new Map<string, Promise<Result>>()

  share(key: string, read: () => Promise<Result>): Promise<Result> {
    const running = this.#reading.get(key)
    if (running) return running
    const done = () => this.#reading.delete(key)
    const reading = read()
    this.#reading.set(key, reading)
    reading.then(done, done)
    return reading
  }
}

/** @throws AppError `conflict/last_admin` */
function orLastAdmin<Result>(result: Result | LastAdmin): Result {
  if (result !== 'last_admin') return result
  throw new AppError('conflict', 'last_admin', 'This is the last administrator who can log in.', {
    hint: 'Make another user an administrator first, or configure an admin token.',
  })
}
