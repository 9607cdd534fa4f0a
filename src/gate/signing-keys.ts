import { createHmac } from 'node:crypto'
import { type Derive, derivePassword, PASSWORD_ITERATIONS } from '../login/password-hash.js'
import type { BoardSecrets } from '../model/board/board-secrets.js'
import type { SigningKey } from './cookie-envelope.js'

/** The current key, and its digest that sessions store. */
interface CookieKey {
  key: SigningKey
  /** Identifies the key without revealing it: lower-case hex. */
  digest: string
}

/** Cached keys, of the current password and previous ones: a password that soon returns is not derived again. */
const KEPT_KEYS = 4

/**
 * The key that signs cookies: `BOARD_AUTH_SECRET`, else the password. A stolen cookie must not allow testing millions
 * of passwords a second, so the password is first stretched with PBKDF2, once, and every request waits for that. The
 * digest in sessions comes from the stretched key, for the same reason.
 *
 * Source: Board Access Gate, "Session cookie"; decisions on security, 0.10.
 */
export class SigningKeys {
  readonly #stretched = new Map<string, Promise<CookieKey>>()
  readonly #salt: Buffer
  #independent: CookieKey | undefined

  /** @param salt hex */
  constructor(
    salt: string,
    private readonly derive: Derive = derivePassword,
  ) {
    this.#salt = Buffer.from(salt, 'hex')
  }

  /** @returns undefined if there is nothing to sign with; then no cookie is valid */
  async keyFor({ authSecret, password }: BoardSecrets): Promise<CookieKey | undefined> {
    if (authSecret === undefined) return password === undefined ? undefined : this.#stretch(password)
    if (this.#independent?.key !== authSecret) this.#independent = toCookieKey(authSecret)
    return this.#independent
  }

  #stretch(password: string): Promise<CookieKey> {
    const known = this.#stretched.get(password)
    if (known) return known
    const stretched = this.derive(password, this.#salt, PASSWORD_ITERATIONS).then(toCookieKey)
    this.#stretched.set(password, stretched)
    // A failure is not cached, or no login would work until the next start.
    stretched.catch(() => this.#stretched.delete(password))
    const [oldest] = this.#stretched.keys()
    if (this.#stretched.size > KEPT_KEYS && oldest !== undefined) this.#stretched.delete(oldest)
    return stretched
  }
}

/** No cookie is signed over this text, so the digest is never the signature of a cookie. */
function toCookieKey(key: SigningKey): CookieKey {
  return { key, digest: createHmac('sha256', key).update('board_session.signing_key').digest('hex') }
}
