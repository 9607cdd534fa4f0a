import { createHmac, randomBytes } from 'node:crypto'
import { newSecret, SECRET_PATTERN } from '../login/new-secret.js'
import { toTimestamp } from '../model/timestamp.js'
import type { LedgerSessionStore, StoredLedgerSession } from '../store/ledger-session-store.js'
import { toSecretDigest } from './secret-digest.js'
import {
  type ListedSession,
  MANY_FOR_ONE,
  type NewSession,
  type Session,
  type SessionOrigin,
  type SessionStore,
} from './session-registry.js'

/**
 * Sessions in a database that several servers share. Every server accepts every session, and a session that ends on one
 * server ends on all. Tokens are stored as digests; the CSRF token is derived from the session token, and not stored.
 *
 * Source: docs/decisions/0068.
 */
export class StoredSessions implements SessionStore {
  constructor(
    private readonly store: LedgerSessionStore,
    private readonly limits: { ttlSeconds: number; maxSessions: number },
  ) {}

  async start(userId: string, { replaces, address }: SessionOrigin = {}): Promise<NewSession> {
    if (replaces !== undefined) await this.end(replaces)
    const sessionToken = newSecret()
    const id = `session_${randomBytes(8).toString('hex')}`
    const session = { id, userId, address: address ?? null }
    await this.store.add(toSecretDigest(sessionToken), session, { ...this.limits, manyForOne: MANY_FOR_ONE })
    return { ...toSession(session, sessionToken), sessionToken }
  }

  async find(sessionToken: string): Promise<Session | undefined> {
    if (!SECRET_PATTERN.test(sessionToken)) return undefined
    const found = await this.store.use(toSecretDigest(sessionToken))
    return found && toSession(found, sessionToken)
  }

  async renew(sessionToken: string): Promise<NewSession | undefined> {
    if (!SECRET_PATTERN.test(sessionToken)) return undefined
    const renewedToken = newSecret()
    const renewed = await this.store.renew(toSecretDigest(sessionToken), toSecretDigest(renewedToken))
    return renewed && { ...toSession(renewed, renewedToken), sessionToken: renewedToken }
  }

  end(sessionToken: string): Promise<void> {
    return this.store.delete(toSecretDigest(sessionToken))
  }

  async list(userId: string): Promise<ListedSession[]> {
    const sessions = await this.store.list(userId)
    return sessions.map(({ id, startedAt, usedAt, address }) => {
      return { id, created_at: toTimestamp(startedAt), last_used_at: toTimestamp(usedAt), address }
    })
  }

  async endOf(userId: string, ends: (id: string) => boolean): Promise<number> {
    const ids = (await this.store.list(userId)).map(({ id }) => id).filter(ends)
    return this.store.deleteOf(userId, ids)
  }

  endAllOf(userId: string): Promise<void> {
    return this.store.deleteAllOf(userId)
  }
}

function toSession({ id, userId }: Pick<StoredLedgerSession, 'id' | 'userId'>, sessionToken: string): Session {
  const csrfToken = createHmac('sha256', sessionToken).update('csrf').digest('base64url')
  return { id, userId, csrfToken }
}
