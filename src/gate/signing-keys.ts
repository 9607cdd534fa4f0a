import { type Derive, derivePassword, PASSWORD_ITERATIONS } from '../login/password-hash.js'
import type { BoardSecrets } from '../model/board-secrets.js'
import type { SigningKey } from './cookie-envelope.js'

/** A password and the ones before it: whoever changes one back soon need not wait again. */
const KEPT_KEYS = 4

/**
 * The key that signs cookies: `BOARD_AUTH_SECRET`, else the password. Cookies are no place to test passwords at: whoever
 * stole one would try millions a second, so the password is stretched first, once, and everybody waits for that.
 *
 * Source: Board Access Gate, "Session cookie"; decisions on security, 0.10.
 */
export class SigningKeys {
  readonly #stretched = new Map<string, Promise<Buffer>>()
  readonly #salt: Buffer

  /** @param salt hex */
  constructor(
    salt: string,
    private readonly derive: Derive = derivePassword,
  ) {
    this.#salt = Buffer.from(salt, 'hex')
  }

  /** @returns nothing when no cookie can be signed, and none be valid */
  async keyFor({ authSecret, password }: BoardSecrets): Promise<SigningKey | undefined> {
    return authSecret ?? (password === undefined ? undefined : this.#stretch(password))
  }

  #stretch(password: string): Promise<Buffer> {
    const known = this.#stretched.get(password)
    if (known) return known
    const stretched = this.derive(password, this.#salt, PASSWORD_ITERATIONS)
    this.#stretched.set(password, stretched)
    // A failure is not kept: nobody could log in until the next start.
    stretched.catch(() => this.#stretched.delete(password))
    const [oldest] = this.#stretched.keys()
    if (this.#stretched.size > KEPT_KEYS && oldest !== undefined) this.#stretched.delete(oldest)
    return stretched
  }
}
