import type { Micros } from '../model/timestamp.js'

/** A browser session at the ledger, without its secrets. */
export interface StoredLedgerSession {
  id: string
  userId: string
  /** The address that the login came from. */
  address: string | null
  startedAt: Micros
  /** To the minute. */
  usedAt: Micros
}

interface SessionBounds {
  ttlSeconds: number
  maxSessions: number
  /** When there is no room, users with this many sessions lose one before all others. */
  manyForOne: number
}

/** Browser sessions that several servers share. Times are those of the database server's clock. */
export interface LedgerSessionStore {
  /** Always succeeds, if necessary by deleting another session: an expired one first. @param digest of its token */
  add(
    digest: string,
    session: Pick<StoredLedgerSession, 'id' | 'userId' | 'address'>,
    bounds: SessionBounds,
  ): Promise<void>
  /** Finds a live session and notes its use. */
  use(digest: string): Promise<StoredLedgerSession | undefined>
  /**
   * Replaces the token of a live session, and deletes all other sessions of its user.
   *
   * @returns undefined if it is not live
   */
  renew(digest: string, newDigest: string): Promise<StoredLedgerSession | undefined>
  delete(digest: string): Promise<void>
  /** Live ones, last used first. */
  list(userId: string): Promise<StoredLedgerSession[]>
  /** @returns how many there were */
  deleteOf(userId: string, ids: readonly string[]): Promise<number>
  deleteAllOf(userId: string): Promise<void>
}
