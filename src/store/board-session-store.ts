/**
 * Browser sessions of the board, by the digests of their tokens. Each says which key signed its cookie, by a digest of
 * that key. Times are whole seconds of Unix time.
 */
export interface BoardSessionStore {
  /** Of the password that signs cookies when there is no independent key; made by chance when the store was new. */
  readonly salt: string
  /**
   * Ends expired sessions and `replaces`, then adds a session if there is room; all in one transaction. Sessions that
   * another key signed take no room.
   *
   * @returns whether there was room
   */
  add(session: NewBoardSession, limits: { now: number; max: number; replaces?: string }): Promise<boolean>
  /** Whether there is such a session that `key` signed and that has not expired. */
  isLive(digest: string, key: string, now: number): Promise<boolean>
  /** Ends one, and expired ones. */
  end(digest: string, now: number): Promise<void>
  /** Ends expired sessions. @returns how many */
  purge(now: number): Promise<number>
  /** Ends the sessions that another key signed; all of them without a key. */
  keepSignedBy(key: string | undefined): Promise<void>
  count(): Promise<number>
}

export interface NewBoardSession {
  /** Of its token. */
  digest: string
  /** Digest of the key that signed its cookie. */
  key: string
  expiresAt: number
}
