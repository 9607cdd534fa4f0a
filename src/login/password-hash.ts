import { pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { PASSWORD_HASH_PATTERN } from '../model/accounts/user.js'

/** For new hashes. A stored hash names its own count, so raising this needs no migration. */
export const PASSWORD_ITERATIONS = 600_000

const DIGEST_BYTES = 32
const SALT_BYTES = 16
/** A higher stored count would block a thread for seconds per attempt. */
const MOST_ITERATIONS = 10_000_000
const STORED = new RegExp(PASSWORD_HASH_PATTERN)

/** A password's digest and the parameters to compute it again. */
interface PasswordHash {
  iterations: number
  salt: Buffer
  digest: Buffer
}

/** PBKDF2-HMAC-SHA256 with a 32-byte result. */
export type Derive = (password: string, salt: Buffer, iterations: number) => Promise<Buffer>

const pbkdf2Async = promisify(pbkdf2)

/** Uses the password as given, as UTF-8, neither trimmed nor normalised. Runs on a thread of Node's pool. */
export const derivePassword: Derive = (password, salt, iterations) =>
  pbkdf2Async(password, salt, iterations, DIGEST_BYTES, 'sha256')

/**
 * @returns `pbkdf2_sha256$<iterations>$<salt_hex>$<digest_hex>` with a new 16-byte salt. The hash uses the salt's
 *   bytes, not its hex text.
 *
 * Source: decisions on identity, section 5, "Passwords"; decisions on security, 0.1.
 */
export async function hashPassword(
  password: string,
  iterations = PASSWORD_ITERATIONS,
  derive: Derive = derivePassword,
): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const digest = await derive(password, salt, iterations)
  return `pbkdf2_sha256$${iterations}$${salt.toString('hex')}$${digest.toString('hex')}`
}

/** Parses a stored hash: 1 to 10,000,000 iterations, a salt of 4 to 64 bytes. Anything else is not a hash. */
export function readPasswordHash(text: string): PasswordHash | undefined {
  const [, count = '', salt = '', digest = ''] = STORED.exec(text) ?? []
  const iterations = Number(count)
  if (iterations < 1 || iterations > MOST_ITERATIONS) return undefined
  return { iterations, salt: Buffer.from(salt, 'hex'), digest: Buffer.from(digest, 'hex') }
}

export async function digestMatches(
  hash: PasswordHash,
  password: string,
  derive: Derive = derivePassword,
): Promise<boolean> {
  return timingSafeEqual(await derive(password, hash.salt, hash.iterations), hash.digest)
}
