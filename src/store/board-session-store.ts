/**
 * Browser sessions of the board, by the digests of their tokens. Each has the digest of the key that signed its cookie.
 * Times are whole seconds of Unix time.
 */
export interface BoardSessionStore {
  /** Salt for deriving the cookie key from the password, if no key is configured; random, set when the store is created. */
  readonly salt: string
  /**
   * Ends expired sessions and `replaces`, then adds a session if there is room; all in one transaction. Sessions of
   * another key do not count.
   *
   * @returns whether there was room
   */
  add(session: NewBoardSession, limits: { now: number; max: number; replaces?: string }): Promise<boolean>
  /** Whether there is such a session, signed with `key` and not expired. */
  isLive(digest: string, key: string, now: number): Promise<boolean>
  /** Ends this session and all expired ones. */
  end(digest: string, now: number): Promise<void>
  /** Ends expired sessions. @returns how many */
  purge(now: number): Promise<number>
  /** Ends the sessions of other keys; if `key` is undefined, all sessions. */
  keepSignedBy(key: string | undefined): Promise<void>
  count(): Promise<number>
}

export interface NewBoardSession {
  /** Digest of the session's token. */
  digest: string
  /** Digest of the key that signed its cookie. */
  key: string
  expiresAt: number
}
