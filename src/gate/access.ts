/** Who may call a route of the board. What each word asks for is decided in `decide.ts`. */
export const BOARD_ACCESS = [
  /** Anybody, and it is not even looked who. */
  'public',
  /** Anybody; the answer depends on who it is. */
  'anybody',
  /** Whoever wants to log in. */
  'login',
  /** Whoever has a session, and wants it to end. */
  'logout',
  /** Whoever came through the gate; unsafe methods by cookie need Origin and CSRF token. */
  'api',
  /** The same, with the executor's token besides. */
  'execute',
  /** The owner of the board's files, over its socket alone. */
  'local',
] as const
export type BoardAccess = (typeof BOARD_ACCESS)[number]
