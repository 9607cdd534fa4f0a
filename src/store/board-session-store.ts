/** Browser sessions of the board, by the digests of their tokens. Times are whole seconds of Unix time. */
export interface BoardSessionStore {
  /** Of the password that signs cookies when there is no independent key; made by chance when the store was new. */
  readonly salt: string
  /**
   * Ends what is over, and `replaces`, then adds one if there is room; all in one transaction.
   *
   * @returns whether there was room
   */
  add(session: { digest: string; expiresAt: number }, limits: { now: number; max: number; replaces?: string }): boolean
  /** Whether there is such a session that is not over. */
  isLive(digest: string, now: number): boolean
  /** Ends one, and what is over. */
  end(digest: string, now: number): void
  /** Ends what is over. @returns how many */
  purge(now: number): number
  count(): number
}
