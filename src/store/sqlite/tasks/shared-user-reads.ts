import type { OwnedToken, StoredUser, UserStore } from '../../user-store.js'
import type { StoreProxy } from '../thread/task.js'
import type { UserTasks } from './user-tasks.js'

/**
 * Users and their tokens, with fewer messages to the store's thread: every request reads one of these rows.
 *
 * Requests that arrive while a row is being read share that reading, and still receive its newest state: the thread
 * answers in order, so a reading that began before a change is answered before the caller of the change receives its
 * answer.
 */
export function shareUserReads(users: StoreProxy<UserTasks>): UserStore & { forgetClosed: () => void } {
  const byId = new SharedReads<StoredUser | undefined>()
  const byDigest = new SharedReads<OwnedToken | undefined>()
  /** Each request of a ledger without users asks. */
  let closed: Promise<boolean> | undefined
  return {
    ...users,
    isClosed: async () => {
      const answer = closed ?? users.isClosed()
      closed = answer
      try {
        return await answer
      } catch (error) {
        if (closed === answer) closed = undefined
        throw error
      }
    },
    markClosed: async () => {
      await users.markClosed()
      closed = Promise.resolve(true)
    },
    create: async (user, log) => {
      await users.create(user, log)
      closed = Promise.resolve(true)
    },
    // Another way than these two may have closed the ledger.
    forgetClosed: () => {
      closed = undefined
    },
    findById: id => byId.share(id, () => users.findById(id)),
    findByTokenDigest: digest => byDigest.share(digest, () => users.findByTokenDigest(digest)),
  }
}

/** Readings that are in progress; a result is not kept. */
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
