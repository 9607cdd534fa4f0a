import { csrfTokenOf, digestOf, openEnvelope, type SigningKey } from './cookie-envelope.js'

/** The session that a cookie is of, be it over or not. */
export interface CookieSession {
  digest: string
  csrfToken: string
}

/**
 * Opens cookies, and knows those that it opened last: a browser shows the same one with every request, and checking its
 * signature anew would cost more than all else that the gate does. Only cookies that the key has signed are kept, so
 * nobody can fill this with others, and none outlives a change of the key.
 */
export class OpenedCookies {
  #key: SigningKey | undefined
  readonly #known = new Map<string, CookieSession>()

  constructor(private readonly max: number) {}

  /** @returns nothing for a cookie that this key has not signed */
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
