/** Who a request to the board proved to be. The board knows no users: there is one shared identity. */
export type BoardIdentity =
  /** Nobody. */
  | { kind: 'anonymous' }
  /** Whoever reaches a board that has neither password nor key. */
  | { kind: 'local' }
  /** The owner of the board's files, over its socket. */
  | { kind: 'owner' }
  /** By the API key: exempt from Origin and CSRF. */
  | { kind: 'key' }
  /** By a browser session: unsafe methods need Origin and CSRF token. */
  | { kind: 'session'; csrfToken: string }

export const NOBODY: BoardIdentity = { kind: 'anonymous' }
