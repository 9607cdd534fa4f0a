/**
 * Measures the memory that sessions and the login throttle use at their limits, and after many more entries. Prints an
 * `AccountMemory` as JSON. Run it with `--expose-gc`.
 */
import { SessionRegistry } from '../../src/accounts/session-registry.js'
import { LoginThrottle } from '../../src/login/login-throttle.js'
import type { AccountMemory } from '../programs.js'

const SESSIONS = { bound: 1_024, tries: 20_000 }
const KEYS = { bound: 10_000, tries: 200_000 }

const now = () => performance.now()
const limits = { ttlSeconds: 43_200, maxSessions: SESSIONS.bound, elapsed: now, now: () => Date.now() * 1000 }
const registry = new SessionRegistry(limits)
const throttle = new LoginThrottle({ now })

const startSessions = (from: number, to: number) => {
  for (let index = from; index < to; index++) registry.start(`user-${index % 200}`)
}
const failLogins = (from: number, to: number) => {
  for (let index = from; index < to; index++)
    throttle.failed(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`, `name-${index}`)
}

const empty = used()
startSessions(0, SESSIONS.bound)
const atSessionBound = used() - empty
startSessions(SESSIONS.bound, SESSIONS.tries)
const beyondSessions = used() - empty

const before = used()
failLogins(0, KEYS.bound)
const atKeyBound = used() - before
failLogins(KEYS.bound, KEYS.tries)
const memory: AccountMemory = {
  sessions: { atBound: atSessionBound, beyond: beyondSessions },
  throttle: { atBound: atKeyBound, beyond: used() - before },
}
process.stdout.write(`${JSON.stringify(memory)}\n`)

/** Bytes of live objects on the heap. */
function used(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
