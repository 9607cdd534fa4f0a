import { csrfTokenOf, digestOf, openEnvelope, type SigningKey } from './cookie-envelope.js'

/** The session that a cookie names, expired or not. */
export interface CookieSession {
  digest: string
  csrfToken: string
}

/**
 * Verifies cookies and caches the most recent ones: a browser sends the same one with every request, and checking its
 * signature again would cost more than the rest of the gate. Only cookies signed by the key are cached, so an attacker
 * cannot fill the cache. No cookie survives a change of the key.
 */
export class VerifiedCookieCache {
  #key: SigningKey | undefined
  readonly #known = new Map<string, CookieSession>()

  constructor(private readonly max: number) {}

  /** @returns undefined for a cookie that this key has not signed */
  open(cookie: string, key: SigningKey): CookieSession | undefined {
    if (key !== this.#key) {
      this.#known.clear()
      this.#key = key
    }
    const known = this.#known.get(cookie)
    if (known) return known
    const token = openEnvelope(cookie, key)
    if (token === undefined) return undefined
    const session = { digest: digestOf(token), csrfToken: csrfTokenOf(token) }
    this.#known.set(cookie, session)
    const [oldest] = this.#known.keys()
    if (this.#known.size > this.max && oldest !== undefined) this.#known.delete(oldest)
    return session
  }
}
