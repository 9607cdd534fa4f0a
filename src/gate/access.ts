/** Who may call a route of the board. `decide.ts` defines what each word requires. */
export const BOARD_ACCESS = [
  /** Everyone; credentials are ignored. */
  'public',
  /** Everyone, with or without a login; the answer depends on who the caller is. */
  'optional_login',
  /** Callers who want to log in. */
  'login',
  /** Callers who want to end their session. */
  'logout',
  /** Callers admitted by the gate; unsafe methods by cookie need Origin and CSRF token. */
  'api',
  /** As `api`, but also needs the executor's token. */
  'execute',
  /** The owner of the board's files, only over its socket. */
  'local',
] as const
export type BoardAccess = (typeof BOARD_ACCESS)[number]
