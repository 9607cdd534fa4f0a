/** Failed logins within their windows, of all servers that share a database. Times are those of the database server. */
export interface LoginFailureStore {
  /** Failures of each key; undefined for a key without any. */
  read(keys: readonly string[]): Promise<(StoredFailures | undefined)[]>
  /** Counts one more failure of each key. From `extendsFrom` failures on, each failure restarts the window. */
  add(keys: readonly { key: string; windowMs: number; extendsFrom?: number }[]): Promise<void>
  clear(key: string): Promise<void>
}

interface StoredFailures {
  failures: number
  /** Until the window ends. */
  leftMs: number
  /** Since the last failure. */
  sinceMs: number
}
