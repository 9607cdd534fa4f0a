import { USER_LIMITS } from '../model/accounts/user.js'
import { AppError } from '../model/app-error.js'
import { counted } from '../model/counted.js'

const MOST_KEYS = 10_000
/** Pairs of address and name that have logged in before. */
const MOST_KNOWN = 1_000
/** If the window of a name is full, one try from any address is admitted in each period of this length. */
const SLOW_MS = 5_000
/** The wait if only attempts in progress fill a window: they end soon, and may succeed. */
const UNDER_WAY_MS = 1_000

interface Window {
  failures: number
  ms: number
}

/** One address with one name; one address with any names; one name from any address. */
export const WINDOWS = {
  pair: { failures: 10, ms: 60_000 },
  address: { failures: 60, ms: 5 * 60_000 },
  name: { failures: 100, ms: 15 * 60_000 },
} as const satisfies Record<string, Window>
type Scope = keyof typeof WINDOWS
export const SCOPES = ['pair', 'address', 'name'] as const satisfies Scope[]

interface Tries {
  failures: number
  /** Admitted and still in progress. They count too, or parallel tries would exceed the limit. */
  inProgress: number
  endsAt: number
  lastAt: number
}

/** Failures of one key within its window, counted elsewhere. */
export interface FailuresOfKey {
  failures: number
  /** Until the window ends. */
  leftMs: number
  /** Since the last failure. */
  sinceMs: number
}

interface LoginThrottleOptions {
  /** Milliseconds of a monotonic clock. */
  now: () => number
  enabled?: boolean
  /** Above this number, the least recently tried key is dropped. */
  maxKeys?: number
}

/**
 * Slows password guessing without locking users out: an address that fails too often with a name, or with any names,
 * waits for the end of its window; a name that fails too often from all addresses together gets one try in five
 * seconds, 17,280 guesses a day in total. An attacker can use up this quota, so an address from which this name has
 * logged in before does not wait for it.
 *
 * Each attempt is checked before its password is, and then ends in exactly one of `failed`, `succeeded`, `abandoned`.
 *
 * Source: decisions on security, 0.18 and section 2, "throttle".
 */
export class LoginThrottle {
  /** Ordered: least recently tried first. */
  private readonly tries = new Map<string, Tries>()
  /** Pairs that have logged in, least recently first. */
  private readonly known = new Set<string>()
  readonly enabled: boolean
  private readonly maxKeys: number
  private readonly now: () => number

  constructor(options: LoginThrottleOptions) {
    this.now = options.now
    this.enabled = options.enabled ?? true
    this.maxKeys = options.maxKeys ?? MOST_KEYS
  }

  /**
   * Admits or refuses an attempt. A refused one does not count.
   *
   * @throws AppError `throttled/too_many_attempts` with whole `retryAfterSeconds`
   */
  check(address: string, username: string): void {
    if (!this.enabled) return
    const keys = keysOf(address, username)
    const minding = SCOPES.filter(scope => scope !== 'name' || !this.known.has(keys.pair))
    const waitMs = Math.max(...minding.map(scope => this.waitMs(scope, keys[scope])))
    if (waitMs > 0) throw tooMany(Math.ceil(waitMs / 1000))
    for (const scope of SCOPES) {
      const tries = this.touch(scope, keys[scope])
      tries.inProgress++
      tries.lastAt = this.now()
    }
  }

  failed(address: string, username: string): void {
    if (!this.enabled) return
    const keys = keysOf(address, username)
    for (const scope of SCOPES) {
      const tries = this.touch(scope, keys[scope])
      const window = WINDOWS[scope]
      // A window begins with its first failure. A name's window continues while it is slowed down, or a persistent
      // attacker would get a new hundred tries at each end of it.
      if (tries.failures === 0 || (scope === 'name' && tries.failures >= window.failures)) {
        tries.endsAt = this.now() + window.ms
      }
      tries.failures++
      tries.inProgress = Math.max(0, tries.inProgress - 1)
    }
  }

  /** Also clears the failures of this address with this name. Those of the address alone or the name alone stay. */
  succeeded(address: string, username: string): void {
    if (!this.enabled) return
    const key = keysOf(address, username).pair
    this.know(key)
    const pair = this.tries.get(key)
    if (pair) pair.failures = 0
    this.abandoned(address, username)
  }

  /** The attempt ended without an answer, e.g. because too many passwords were being checked. */
  abandoned(address: string, username: string): void {
    for (const key of Object.values(keysOf(address, username))) {
      const tries = this.tries.get(key)
      if (tries === undefined) continue
      tries.inProgress = Math.max(0, tries.inProgress - 1)
      if (tries.inProgress === 0 && tries.failures === 0) this.tries.delete(key)
    }
  }

  /** Replaces the failures of a key by the count that all servers share. Attempts in progress stay. */
  adopt(scope: Scope, key: string, found: FailuresOfKey | undefined): void {
    const now = this.now()
    const tries = this.tries.get(key)
    if (found === undefined) {
      if (tries) tries.failures = 0
      return
    }
    Object.assign(tries ?? this.touch(scope, key), {
      failures: found.failures,
      endsAt: now + found.leftMs,
      lastAt: Math.max(tries?.lastAt ?? 0, now - found.sinceMs),
    })
  }

  private know(pair: string): void {
    this.known.delete(pair)
    this.known.add(pair)
    const [oldest] = this.known
    if (this.known.size > MOST_KNOWN && oldest !== undefined) this.known.delete(oldest)
  }

  /** How long the tries of one key delay an attempt. */
  private waitMs(scope: Scope, key: string): number {
    const tries = this.tries.get(key)
    const now = this.now()
    const { failures } = WINDOWS[scope]
    if (tries === undefined || now >= tries.endsAt || tries.failures + tries.inProgress < failures) return 0
    if (scope === 'name') return Math.max(0, tries.lastAt + SLOW_MS - now)
    return tries.failures < failures ? UNDER_WAY_MS : tries.endsAt - now
  }

  /** The tries of one key, now the most recent ones. Starts over if their window has ended. */
  private touch(scope: Scope, key: string): Tries {
    const now = this.now()
    const known = this.tries.get(key)
    this.tries.delete(key)
    const tries =
      known !== undefined && now < known.endsAt
        ? known
        : { failures: 0, inProgress: 0, endsAt: now + WINDOWS[scope].ms, lastAt: now }
    this.tries.set(key, tries)
    if (this.tries.size > this.maxKeys) this.forgetOldest()
    return tries
  }

  private forgetOldest(): void {
    const [oldest] = this.tries.keys()
    if (oldest !== undefined) this.tries.delete(oldest)
  }
}

export function keysOf(address: string, username: string): Record<Scope, string> {
  // Names are compared without case. Names too long for any user share one key, so no key is as large as a request.
  const name = username.length > USER_LIMITS.usernameCharacters ? '' : username.toLowerCase()
  return { pair: `pair ${address} ${name}`, address: `address ${address}`, name: `name ${name}` }
}

function tooMany(seconds: number): AppError {
  return new AppError('throttled', 'too_many_attempts', 'Too many logins failed.', {
    hint: `Wait ${counted(seconds, 'second')}, then try again.`,
    retryAfterSeconds: seconds,
  })
}
