/** What opens the board. Each is absent where it is not configured, or cannot be used at this moment. */
export interface BoardSecrets {
  /** Of the login in a browser. */
  password?: string
  /** Signs the cookies in the password's place. */
  authSecret?: string
  apiKey?: string
  /** Besides one of the others, for real execution and control. */
  executorToken?: string
}
