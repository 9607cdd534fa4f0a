import { readCookie } from '../login/cookies.js'
import { newSecret } from '../login/csrf.js'
import { AppError } from '../model/app-error.js'
import type { BoardSecrets } from '../model/board-secrets.js'
import type { Micros } from '../model/timestamp.js'
import type { BoardSessionStore } from '../store/board-session-store.js'
import { csrfTokenOf, digestOf, isEnvelope, sealToken } from './cookie-envelope.js'
import type { StartedBoardSession } from './gate.js'
import { type CookieSession, OpenedCookies } from './opened-cookies.js'
import type { SigningKeys } from './signing-keys.js'

/** Fixed by the specification, so it cannot have the prefix `__Host-`. */
export const SESSION_COOKIE = 'board_session'

const MAX_SESSIONS = 1024
/** Somebody may log out, or a session end, sooner than anybody could say. */
const FULL_RETRY_SECONDS = 60

export interface BoardSessionsParts {
  store: BoardSessionStore
  keys: SigningKeys
  /** From the login on, however often it is used. */
  ttlSeconds: number
  /** Wall clock: sessions outlive the process. */
  now: () => Micros
}

/**
 * Browser sessions of the board. A cookie is worth something while the key of now has signed it and its token's digest is
 * in the store: a new key ends all of them at once, a logout one.
 *
 * Source: Board Access Gate, "Session cookie", "States and transitions"; decisions on security, section 2.
 */
export class BoardSessions {
  readonly #opened = new OpenedCookies(MAX_SESSIONS)

  constructor(private readonly parts: BoardSessionsParts) {}

  /**
   * @param cookies the whole `Cookie` header
   * @throws AppError `unavailable/store_…`
   */
  async find(cookies: string | undefined, secrets: BoardSecrets): Promise<CookieSession | undefined> {
    const shown = readCookie(cookies, SESSION_COOKIE)
    // What is no cookie of ours waits for no key.
    if (shown === undefined || !isEnvelope(shown)) return undefined
    const key = await this.parts.keys.keyFor(secrets)
    const session = key === undefined ? undefined : this.#opened.open(shown, key)
    return session && this.parts.store.isLive(session.digest, this.#seconds()) ? session : undefined
  }

  /**
   * @param replaces a session that ends with it, and makes room
   * @returns nothing when no key is there to sign it
   * @throws AppError `unavailable/capacity`, `unavailable/store_…`
   */
  async start(secrets: BoardSecrets, replaces: CookieSession | undefined): Promise<StartedBoardSession | undefined> {
    const { store, keys, ttlSeconds } = this.parts
    const key = await keys.keyFor(secrets)
    if (key === undefined) return undefined
    const token = newSecret()
    const now = this.#seconds()
    const limits = { now, max: MAX_SESSIONS, ...(replaces ? { replaces: replaces.digest } : {}) }
    if (!store.add({ digest: digestOf(token), expiresAt: now + ttlSeconds }, limits)) throw full()
    return { cookie: sealToken(token, key), csrfToken: csrfTokenOf(token) }
  }

  end({ digest }: CookieSession): void {
    this.parts.store.end(digest, this.#seconds())
  }

  purge(): void {
    this.parts.store.purge(this.#seconds())
  }

  #seconds(): number {
    return Math.floor(this.parts.now() / 1_000_000)
  }
}

function full(): AppError {
  return new AppError('unavailable', 'capacity', `There are ${MAX_SESSIONS} sessions already, and no more can be.`, {
    hint: 'Log out where you no longer need it, or wait until a session ends.',
    retryAfterSeconds: FULL_RETRY_SECONDS,
  })
}
