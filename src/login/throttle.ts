import { AppError } from '../model/app-error.js'
import { USER_LIMITS } from '../model/user.js'

const MOST_KEYS = 10_000
/** Addresses, each with a name, from which somebody has logged in. */
const MOST_KNOWN = 1_000
/** After as many failures for a name as its window allows, from wherever, one try each so often. */
const SLOW_MS = 5_000
/** Where only attempts under way fill a window: they end soon, and may succeed. */
const UNDER_WAY_MS = 1_000

interface Window {
  failures: number
  ms: number
}

/** One address that tries one name; one address, whatever names it tries; one name, from wherever it is tried. */
const WINDOWS = {
  pair: { failures: 10, ms: 60_000 },
  address: { failures: 60, ms: 5 * 60_000 },
  name: { failures: 100, ms: 15 * 60_000 },
} as const satisfies Record<string, Window>
type Scope = keyof typeof WINDOWS
const SCOPES = ['pair', 'address', 'name'] as const satisfies Scope[]

interface Tries {
  failures: number
  /** Admitted, and not yet known to have failed: they count too, or tries side by side would pass the limit. */
  underWay: number
  endsAt: number
  lastAt: number
}

export interface LoginThrottleOptions {
  /** Milliseconds of a clock that only goes forward. */
  now: () => number
  enabled?: boolean
  /** Beyond it, what was tried least recently is forgotten. */
  maxKeys?: number
}

/**
 * Slows the guessing of passwords without locking anybody out: an address that fails too often with a name, or with
 * any names, waits for the end of its window; a name that fails too often from everywhere is left one try in five
 * seconds, 17,280 guesses a day for everybody together. Strangers who keep trying take all of these, so that an address
 * from which somebody has logged in with the name before does not have to wait with them.
 *
 * Each attempt is checked before its password is, and then ends in exactly one of `failed`, `succeeded`, `abandoned`.
 *
 * Source: decisions on security, 0.18 and section 2, "throttle".
 */
export class LoginThrottle {
  /** Least recently tried first. */
  private readonly tries = new Map<string, Tries>()
  /** Pairs by which somebody has logged in, least recently first. */
  private readonly known = new Set<string>()
  private readonly enabled: boolean
  private readonly maxKeys: number
  private readonly now: () => number

  constructor(options: LoginThrottleOptions) {
    this.now = options.now
    this.enabled = options.enabled ?? true
    this.maxKeys = options.maxKeys ?? MOST_KEYS
  }

  /**
   * Admits an attempt. One that is refused counts for nothing.
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
      tries.underWay++
      tries.lastAt = this.now()
    }
  }

  failed(address: string, username: string): void {
    if (!this.enabled) return
    const keys = keysOf(address, username)
    for (const scope of SCOPES) {
      const tries = this.touch(scope, keys[scope])
      const window = WINDOWS[scope]
      // A window begins with its first failure. That of a name goes on while it is slowed down, or whoever keeps on
      // trying would get a new hundred at each end of it.
      if (tries.failures === 0 || (scope === 'name' && tries.failures >= window.failures)) {
        tries.endsAt = this.now() + window.ms
      }
      tries.failures++
      tries.underWay = Math.max(0, tries.underWay - 1)
    }
  }

  /** Also forgets the failures of this address with this name; those of either alone stay. */
  succeeded(address: string, username: string): void {
    if (!this.enabled) return
    const key = keysOf(address, username).pair
    this.know(key)
    const pair = this.tries.get(key)
    if (pair) pair.failures = 0
    this.abandoned(address, username)
  }

  /** The attempt came to no answer, such as where too many passwords were being checked. */
  abandoned(address: string, username: string): void {
    for (const key of Object.values(keysOf(address, username))) {
      const tries = this.tries.get(key)
      if (tries === undefined) continue
      tries.underWay = Math.max(0, tries.underWay - 1)
      if (tries.underWay === 0 && tries.failures === 0) this.tries.delete(key)
    }
  }

  private know(pair: string): void {
    this.known.delete(pair)
    this.known.add(pair)
    const [oldest] = this.known
    if (this.known.size > MOST_KNOWN && oldest !== undefined) this.known.delete(oldest)
  }

  /** How long the tries of one key keep an attempt out. */
  private waitMs(scope: Scope, key: string): number {
    const tries = this.tries.get(key)
    const now = this.now()
    const { failures } = WINDOWS[scope]
    if (tries === undefined || now >= tries.endsAt || tries.failures + tries.underWay < failures) return 0
    if (scope === 'name') return Math.max(0, tries.lastAt + SLOW_MS - now)
    return tries.failures < failures ? UNDER_WAY_MS : tries.endsAt - now
  }

  /** The tries of one key, begun anew where their window is over, as the most recent ones. */
  private touch(scope: Scope, key: string): Tries {
    const now = this.now()
    const known = this.tries.get(key)
    this.tries.delete(key)
    const tries =
      known !== undefined && now < known.endsAt
        ? known
        : { failures: 0, underWay: 0, endsAt: now + WINDOWS[scope].ms, lastAt: now }
    this.tries.set(key, tries)
    if (this.tries.size > this.maxKeys) this.forgetOldest()
    return tries
  }

  private forgetOldest(): void {
    const [oldest] = this.tries.keys()
    if (oldest !== undefined) this.tries.delete(oldest)
  }
}

function keysOf(address: string, username: string): Record<Scope, string> {
  // Names in other case are one, and so are those that are too long for any user: a key is never as large as a request.
  const name = username.length > USER_LIMITS.usernameCharacters ? '' : username.toLowerCase()
  return { pair: `pair ${address} ${name}`, address: `address ${address}`, name: `name ${name}` }
}

function tooMany(seconds: number): AppError {
  return new AppError('throttled', 'too_many_attempts', 'Too many logins failed.', {
    hint: `Wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'}, then try again.`,
    retryAfterSeconds: seconds,
  })
}
