import { randomBytes } from 'node:crypto'
import { newSecret, SECRET_PATTERN } from '../login/new-secret.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import { toSecretDigest } from './secret-digest.js'

export interface Session {
  /** Public: identifies the session, and is not a secret. */
  id: string
  userId: string
  csrfToken: string
}

/** A session as its user sees it. Times in UTC, six digits. */
export interface ListedSession {
  id: string
  created_at: string
  last_used_at: string
  /** Where its login came from. */
  address: string | null
}

export interface SessionOrigin {
  /** Token of the session that the new one replaces. */
  replaces?: string | undefined
  /** Where the login came from, as in the account log. */
  address?: string | undefined
}

export interface NewSession extends Session {
  /** From now on known only to the browser. */
  sessionToken: string
}

/** Browser sessions: who has logged in, never what that user may do. */
export interface SessionStore {
  /** Always succeeds: ends another session if there is no room. */
  start(userId: string, from?: SessionOrigin): Promise<NewSession>
  /** Finds a live session and marks it as used. */
  find(sessionToken: string): Promise<Session | undefined>
  /**
   * Gives a live session new secrets, and ends all others of its user.
   *
   * @returns undefined if it is not live
   */
  renew(sessionToken: string): Promise<NewSession | undefined>
  end(sessionToken: string): Promise<void>
  /** The live sessions of a user, last used first. */
  list(userId: string): Promise<ListedSession[]>
  /** Ends the sessions of the user that `ends` selects. @returns how many there were */
  endOf(userId: string, ends: (id: string) => boolean): Promise<number>
  endAllOf(userId: string): Promise<void>
}

interface SessionLimits {
  /** Counted from the login, however often the session is used. */
  ttlSeconds: number
  maxSessions: number
  /** Milliseconds of a monotonic clock, so that a wall clock that jumps neither ends nor extends a session. */
  elapsed: () => number
  /** Wall clock, for the times that users see. */
  now: () => Micros
}

/** When there is no room, users with this many sessions lose one before all others. */
export const MANY_FOR_ONE = 16

interface KeptSession extends Session {
  startedAt: Micros
  address: string | null
  /** Both times in milliseconds of `elapsed`. */
  usedAt: number
  endsAt: number
}

/**
 * Sessions in memory, by the digests of their tokens. They end with the process.
 *
 * When full, an expired session is dropped first; then the least recently used session of a user that has 16 or more, of
 * the one who logs in before others, so that one user cannot crowd out the others; then the least recently used of all. A
 * login is never refused for lack of room, or one member could keep the administrators out.
 *
 * Source: Event Ledger Service, "Authentication" 8; decisions on security, section 2, "L capacity".
 */
export class SessionRegistry implements SessionStore {
  /** Ordered: least recently used first. */
  private readonly sessions = new Map<string, KeptSession>()

  constructor(private readonly limits: SessionLimits) {}

  /** Number of stored sessions, including expired ones not requested since. */
  get size(): number {
    return this.sessions.size
  }

  async start(userId: string, { replaces, address }: SessionOrigin = {}): Promise<NewSession> {
    if (replaces !== undefined) await this.end(replaces)
    if (this.sessions.size >= this.limits.maxSessions) this.makeRoom(userId)
    const endsAt = this.limits.elapsed() + this.limits.ttlSeconds * 1000
    const id = `session_${randomBytes(8).toString('hex')}`
    return this.keep({ id, userId, startedAt: this.limits.now(), address: address ?? null, endsAt })
  }

  async find(sessionToken: string): Promise<Session | undefined> {
    if (!SECRET_PATTERN.test(sessionToken)) return undefined
    const digest = toSecretDigest(sessionToken)
    const session = this.sessions.get(digest)
    if (!session) return undefined
    this.sessions.delete(digest)
    const now = this.limits.elapsed()
    if (session.endsAt <= now) return undefined
    session.usedAt = now
    this.sessions.set(digest, session)
    return { id: session.id, userId: session.userId, csrfToken: session.csrfToken }
  }

  async renew(sessionToken: string): Promise<NewSession | undefined> {
    if ((await this.find(sessionToken)) === undefined) return undefined
    const session = this.sessions.get(toSecretDigest(sessionToken))
    if (session === undefined) return undefined
    await this.endAllOf(session.userId)
    return this.keep(session)
  }

  async end(sessionToken: string): Promise<void> {
    this.sessions.delete(toSecretDigest(sessionToken))
  }

  async list(userId: string): Promise<ListedSession[]> {
    const { elapsed, now } = this.limits
    const [atMs, at] = [elapsed(), now()]
    const live = [...this.sessions.values()].filter(session => session.userId === userId && session.endsAt > atMs)
    return live.reverse().map(({ id, startedAt, usedAt, address }) => ({
      id,
      created_at: toTimestamp(startedAt),
      last_used_at: toTimestamp(at - Math.round((atMs - usedAt) * 1000)),
      address,
    }))
  }

  async endOf(userId: string, ends: (id: string) => boolean): Promise<number> {
    const before = this.sessions.size
    for (const [digest, session] of this.sessions) {
      if (session.userId === userId && ends(session.id)) this.sessions.delete(digest)
    }
    return before - this.sessions.size
  }

  async endAllOf(userId: string): Promise<void> {
    await this.endOf(userId, () => true)
  }

  private keep({ id, userId, startedAt, address, endsAt }: Omit<KeptSession, 'csrfToken' | 'usedAt'>): NewSession {
    const sessionToken = newSecret()
    const csrfToken = newSecret()
    const usedAt = this.limits.elapsed()
    this.sessions.set(toSecretDigest(sessionToken), { id, userId, csrfToken, startedAt, address, usedAt, endsAt })
    return { id, userId, csrfToken, sessionToken }
  }

  private makeRoom(userId: string): void {
    const now = this.limits.elapsed()
    const counts = new Map<string, number>()
    for (const [digest, session] of this.sessions) {
      if (session.endsAt <= now) this.sessions.delete(digest)
      else counts.set(session.userId, (counts.get(session.userId) ?? 0) + 1)
    }
    if (this.sessions.size < this.limits.maxSessions) return
    const sessions = [...this.sessions]
    const ofMany = sessions.filter(([, session]) => (counts.get(session.userId) ?? 0) >= MANY_FOR_ONE)
    const [leastRecent] = ofMany.find(([, session]) => session.userId === userId) ?? ofMany[0] ?? sessions[0] ?? []
    if (leastRecent !== undefined) this.sessions.delete(leastRecent)
  }
}
