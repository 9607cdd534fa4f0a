/** Who sent a request to the board, as its credential proves. The board has no users: there is one shared identity. */
export type BoardIdentity =
  | { kind: 'anonymous' }
  /** Any caller of a board that has neither password nor key. */
  | { kind: 'local' }
  /** The owner of the board's files, over its socket. */
  | { kind: 'owner' }
  /** By the API key: exempt from Origin and CSRF. */
  | { kind: 'key' }
  /** By a browser session: unsafe methods need Origin and CSRF token. */
  | BoardSession

interface BoardSession {
  kind: 'session'
  csrfToken: string
  /** The username, if it is a session of the ledger. */
  ledgerUser?: string | undefined
}

export const ANONYMOUS: BoardIdentity = { kind: 'anonymous' }
