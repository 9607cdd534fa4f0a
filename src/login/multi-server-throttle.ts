import { type FailuresOfKey, keysOf, type LoginThrottle, SCOPES, WINDOWS } from './login-throttle.js'

/** Failed logins that the servers of one ledger or board count together. */
interface FailureCounts {
  /** Failures of each key within its window; undefined for a key without any. */
  read(keys: readonly string[]): Promise<(FailuresOfKey | undefined)[]>
  /** Counts one more failure of each key. */
  add(keys: readonly FailedKey[]): Promise<void>
  clear(key: string): Promise<void>
}

interface FailedKey {
  key: string
  /** Length of the window, which starts at the first failure. */
  windowMs: number
  /** From this many failures on, each failure restarts the window. Absent: no failure does. */
  extendsFrom?: number
}

/** A `LoginThrottle` that counts the failures of all servers that share one ledger or board. */
export class MultiServerThrottle {
  /** The checks that read the counts at this moment. */
  readonly #reads = new Set<{ keys: readonly string[]; isOutdated: boolean }>()

  /** @param counts absent if there is only one server */
  constructor(
    private readonly throttle: LoginThrottle,
    private readonly counts?: FailureCounts | undefined,
  ) {}

  /** @throws AppError `throttled/too_many_attempts`, `unavailable/…` */
  async check(address: string, username: string): Promise<void> {
    if (this.counts && this.throttle.enabled) {
      const keys = keysOf(address, username)
      const read = SCOPES.map(scope => keys[scope])
      const found = await this.#read(this.counts, read)
      for (const [at, scope] of SCOPES.entries()) this.throttle.adopt(scope, keys[scope], found[at])
    }
    this.throttle.check(address, username)
  }

  async failed(address: string, username: string): Promise<void> {
    const added = failedKeys(address, username)
    try {
      if (this.counts && this.throttle.enabled) await this.counts.add(added)
    } finally {
      // Until then the attempt counts as in progress.
      this.throttle.failed(address, username)
      for (const read of this.#reads) if (added.some(({ key }) => read.keys.includes(key))) read.isOutdated = true
    }
  }

  async succeeded(address: string, username: string): Promise<void> {
    this.throttle.succeeded(address, username)
    if (this.throttle.enabled) await this.counts?.clear(keysOf(address, username).pair)
  }

  /** The attempt ended without an answer. */
  abandoned(address: string, username: string): void {
    this.throttle.abandoned(address, username)
  }

  /**
   * Counts that were read while a failure of one of the keys was added may lack it, and its attempt is no longer in
   * progress, so they are read again. The limits of these keys bound how often.
   */
  async #read(counts: FailureCounts, keys: readonly string[]): Promise<(FailuresOfKey | undefined)[]> {
    const read = { keys, isOutdated: true }
    this.#reads.add(read)
    try {
      let found: (FailuresOfKey | undefined)[] = []
      while (read.isOutdated) {
        read.isOutdated = false
        found = await counts.read(keys)
      }
      return found
    } finally {
      this.#reads.delete(read)
    }
  }
}

function failedKeys(address: string, username: string): FailedKey[] {
  const keys = keysOf(address, username)
  return SCOPES.map(scope => ({
    key: keys[scope],
    windowMs: WINDOWS[scope].ms,
    ...(scope === 'name' ? { extendsFrom: WINDOWS[scope].failures } : {}),
  }))
}
