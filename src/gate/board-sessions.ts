import { readCookie } from '../login/cookies.js'
import { newSecret } from '../login/new-secret.js'
import { AppError } from '../model/app-error.js'
import type { BoardSecrets } from '../model/board/board-secrets.js'
import { SerialQueue } from '../model/serial-queue.js'
import type { Micros } from '../model/timestamp.js'
import type { BoardSessionStore } from '../store/board-session-store.js'
import { csrfTokenOf, digestOf, isEnvelope, sealToken } from './cookie-envelope.js'
import type { StartedBoardSession } from './gate.js'
import type { SigningKeys } from './signing-keys.js'
import { type CookieSession, VerifiedCookieCache } from './verified-cookie-cache.js'

/** Named by the specification, so it cannot have the prefix `__Host-`. */
export const SESSION_COOKIE = 'board_session'

const MAX_SESSIONS = 1024
/** A guess: a place may become free at any time, with a logout. */
const FULL_RETRY_SECONDS = 60

interface BoardSessionsParts {
  store: BoardSessionStore
  keys: SigningKeys
  /** Counted from the login, however often the session is used. */
  ttlSeconds: number
  /** Wall clock, because sessions outlive the process; of the database where several servers share them. */
  now: () => Micros
}

/**
 * Browser sessions of the board. A cookie is valid if the current key signed it and the store has its token's digest
 * together with that key's digest. A logout ends one session. A key change ends all of them permanently: they stay invalid
 * if the old key returns.
 *
 * Source: Board Access Gate, "Session cookie", "States and transitions"; decisions on security, section 2.
 */
export class BoardSessions {
  readonly #opened = new VerifiedCookieCache(MAX_SESSIONS)
  /** The secret from which the current key is made. */
  #keySource: string | undefined
  /** Runs changes of the key and starts of sessions one after the other. */
  readonly #queue = new SerialQueue()

  constructor(
    private readonly parts: BoardSessionsParts,
    secrets: BoardSecrets,
  ) {
    this.#keySource = keySourceOf(secrets)
  }

  /**
   * Ends the sessions that were signed by another key before this start.
   *
   * @param secrets the secrets at startup
   * @throws AppError `unavailable/store_…`
   */
  async keepSignedBy(secrets: BoardSecrets): Promise<void> {
    const { store, keys } = this.parts
    // With an empty store the start need not wait for the key derivation.
    if ((await store.count()) > 0) await store.keepSignedBy((await keys.keyFor(secrets))?.digest)
  }

  /**
   * Ends every session if the key has changed. If secrets cannot be read at the moment, there is no key; this does not
   * count as a change.
   *
   * @param secrets the secrets of the current request
   * @throws AppError `unavailable/store_…`
   */
  noticeKey(secrets: BoardSecrets): Promise<void> {
    return this.#queue.run(async () => {
      const source = keySourceOf(secrets)
      if (source === undefined || source === this.#keySource) return
      // Another server that shares the board may have noticed it earlier, and started sessions with the new key.
      await this.parts.store.keepSignedBy((await this.parts.keys.keyFor(secrets))?.digest)
      this.#keySource = source
    })
  }

  /**
   * @param cookies the whole `Cookie` header
   * @throws AppError `unavailable/store_…`
   */
  async find(cookies: string | undefined, secrets: BoardSecrets): Promise<CookieSession | undefined> {
    const shown = readCookie(cookies, SESSION_COOKIE)
    // A cookie of another form need not wait for the key.
    if (shown === undefined || !isEnvelope(shown)) return undefined
    const key = await this.parts.keys.keyFor(secrets)
    const session = key && this.#opened.open(shown, key.key)
    const isLive = session && (await this.parts.store.isLive(session.digest, key.digest, this.#seconds()))
    return isLive ? session : undefined
  }

  /**
   * @param replaces a session that ends and makes room for the new one
   * @returns undefined if there is no key to sign it
   * @throws AppError `unavailable/capacity`, `unavailable/busy`, `unavailable/store_…`
   */
  async start(secrets: BoardSecrets, replaces: CookieSession | undefined): Promise<StartedBoardSession | undefined> {
    const { store, keys, ttlSeconds } = this.parts
    const key = await keys.keyFor(secrets)
    if (key === undefined) return undefined
    return this.#queue.run(async () => {
      // The key may have changed during the derivation. Sessions of the old key have ended; this would be one of them.
      if (keySourceOf(secrets) !== this.#keySource) throw keyChanged()
      const token = newSecret()
      const now = this.#seconds()
      const session = { digest: digestOf(token), key: key.digest, expiresAt: now + ttlSeconds }
      const limits = { now, max: MAX_SESSIONS, ...(replaces ? { replaces: replaces.digest } : {}) }
      if (!(await store.add(session, limits))) throw full()
      return { cookie: sealToken(token, key.key), csrfToken: csrfTokenOf(token) }
    })
  }

  end({ digest }: CookieSession): Promise<void> {
    return this.parts.store.end(digest, this.#seconds())
  }

  async purge(): Promise<void> {
    await this.parts.store.purge(this.#seconds())
  }

  #seconds(): number {
    return Math.floor(this.parts.now() / 1_000_000)
  }
}

/** Distinguishes keys without waiting for the derivation. */
function keySourceOf({ authSecret, password }: BoardSecrets): string | undefined {
  if (authSecret !== undefined) return `secret ${authSecret}`
  return password === undefined ? undefined : `password ${password}`
}

function keyChanged(): AppError {
  return new AppError('unavailable', 'busy', 'The key that signs sessions changed during this login.', {
    hint: 'Log in again.',
    retryAfterSeconds: 1,
  })
}

function full(): AppError {
  return new AppError('unavailable', 'capacity', `There are ${MAX_SESSIONS} sessions already, which is the maximum.`, {
    hint: 'Log out of a session that you no longer need, or wait until one ends.',
    retryAfterSeconds: FULL_RETRY_SECONDS,
  })
}
