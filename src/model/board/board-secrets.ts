/** Secrets that open the board. Each is absent if not configured or currently unusable. */
export interface BoardSecrets {
  /** For the login in a browser. */
  password?: string
  /** Signs the cookies instead of the password. */
  authSecret?: string
  apiKey?: string
  /** Required in addition to the login or key, for real execution and control. */
  executorToken?: string
}
