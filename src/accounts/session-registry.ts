import { newSecret, SECRET_PATTERN } from '../login/csrf.js'
import { toSecretDigest } from './secret-digest.js'

export interface Session {
  userId: string
  csrfToken: string
}

export interface NewSession extends Session {
  /** From now on known only to the browser. */
  sessionToken: string
}

/** Browser sessions: who has logged in, never what that user may do. */
export interface SessionStore {
  /**
   * Always succeeds, if necessary by ending another session. @param replaces token of the session that this one
   * replaces
   */
  start(userId: string, replaces?: string): Promise<NewSession>
  /** Finds a live session and counts this as a use of it. */
  find(sessionToken: string): Promise<Session | undefined>
  /**
   * Gives a live session new secrets, and ends all others of its user.
   *
   * @returns undefined if it is not live
   */
  renew(sessionToken: string): Promise<NewSession | undefined>
  end(sessionToken: string): Promise<void>
  endAllOf(userId: string): Promise<void>
}

export interface SessionLimits {
  /** Counted from the login, however often the session is used. */
  ttlSeconds: number
  maxSessions: number
  /** Milliseconds of a monotonic clock, so that a wall clock that jumps neither ends nor extends a session. */
  elapsed: () => number
}

/** A user with this many sessions loses its own oldest for a new one. */
const MANY_FOR_ONE = 16

interface KeptSession extends Session {
  endsAt: number
}

/**
 * Sessions in memory, by the digests of their tokens. They end with the process.
 *
 * When full, an expired session is dropped first; then the least recently used session of a user that has 16 or more,
 * so that one user cannot crowd out the others; then the least recently used of all. A login is never refused for lack
 * of room, or one member could keep the administrators out.
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

  async start(userId: string, replaces?: string): Promise<NewSession> {
    if (replaces !== undefined) await this.end(replaces)
    if (this.sessions.size >= this.limits.maxSessions) this.makeRoom(userId)
    return this.keep(userId, this.limits.elapsed() + this.limits.ttlSeconds * 1000)
  }

  async find(sessionToken: string): Promise<Session | undefined> {
    if (!SECRET_PATTERN.test(sessionToken)) return undefined
    const digest = toSecretDigest(sessionToken)
    const session = this.sessions.get(digest)
    if (!session) return undefined
    this.sessions.delete(digest)
    if (session.endsAt <= this.limits.elapsed()) return undefined
    this.sessions.set(digest, session)
    return { userId: session.userId, csrfToken: session.csrfToken }
  }

  async renew(sessionToken: string): Promise<NewSession | undefined> {
    if ((await this.find(sessionToken)) === undefined) return undefined
    const session = this.sessions.get(toSecretDigest(sessionToken))
    if (session === undefined) return undefined
    await this.endAllOf(session.userId)
    return this.keep(session.userId, session.endsAt)
  }

  async end(sessionToken: string): Promise<void> {
    this.sessions.delete(toSecretDigest(sessionToken))
  }

  async endAllOf(userId: string): Promise<void> {
    for (const [digest, session] of this.sessions) if (session.userId === userId) this.sessions.delete(digest)
  }

  private keep(userId: string, endsAt: number): NewSession {
    const sessionToken = newSecret()
    const csrfToken = newSecret()
    this.sessions.set(toSecretDigest(sessionToken), { userId, csrfToken, endsAt })
    return { userId, csrfToken, sessionToken }
  }

  private makeRoom(userId: string): void {
    const now = this.limits.elapsed()
    const own: string[] = []
    for (const [digest, session] of this.sessions) {
      if (session.endsAt <= now) this.sessions.delete(digest)
      else if (session.userId === userId) own.push(digest)
    }
    if (this.sessions.size < this.limits.maxSessions) return
    const [leastRecent] = own.length >= MANY_FOR_ONE ? own : this.sessions.keys()
    if (leastRecent !== undefined) this.sessions.delete(leastRecent)
  }
}
