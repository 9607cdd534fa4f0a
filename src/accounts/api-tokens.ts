import { randomBytes } from 'node:crypto'
import { newSecret } from '../login/csrf.js'
import { AppError } from '../model/app-error.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import { type ApiToken, type IssuedToken, USER_LIMITS } from '../model/user.js'
import type { StoredToken, StoredUser, UserStore } from '../store/user-store.js'
import { toSecretDigest } from './secret-digest.js'
import { unknownUser } from './shown-user.js'

const TOKEN = /^tok_[A-Za-z0-9_-]{43}$/
const PREFIX_CHARACTERS = 8
/** A use is noted when the one that was noted before is as old as this. */
const NOTED_EVERY: Micros = 60_000_000

/**
 * API tokens: many for a user, known by their digests alone, revoked one by one.
 *
 * Source: decisions on identity, section 5, "Tokens"; decisions on security, section 2.
 */
export class ApiTokens {
  /** Tokens whose use is being noted: those that come meanwhile read what was noted before. */
  private readonly noting = new Set<string>()

  constructor(
    private readonly users: UserStore,
    private readonly now: () => Micros,
  ) {}

  /** The user that a token belongs to, enabled or not. One read, and a note of its use at most once a minute. */
  async findOwner(shown: string): Promise<StoredUser | undefined> {
    if (!TOKEN.test(shown)) return undefined
    const found = await this.users.findByTokenDigest(toSecretDigest(shown))
    if (!found) return undefined
    if (found.user.enabled) this.noteUse(found.token)
    return found.user
  }

  /** @throws AppError `not_found/not_found` without that user */
  async issue(userId: string): Promise<IssuedToken> {
    const token = `tok_${newSecret()}`
    const id = `token_${randomBytes(8).toString('hex')}`
    const prefix = token.slice(0, PREFIX_CHARACTERS)
    const created_at = toTimestamp(this.now())
    const stored = { id, user_id: userId, digest: toSecretDigest(token), prefix, created_at, last_used_at: null }
    await this.users.addToken(stored, USER_LIMITS.tokens)
    return { id, token, prefix, created_at }
  }

  /** @throws AppError `not_found/not_found` */
  async list(userId: string): Promise<ApiToken[]> {
    await this.refuseUnknown(userId)
    const tokens = await this.users.listTokens(userId)
    return tokens.map(({ id, prefix, created_at, last_used_at }) => ({ id, prefix, created_at, last_used_at }))
  }

  /** @throws AppError `not_found/not_found` */
  async revoke(userId: string, tokenId: string): Promise<void> {
    if (await this.users.deleteToken(userId, tokenId)) return
    await this.refuseUnknown(userId)
    throw new AppError('not_found', 'not_found', 'This user has no such token; it may be revoked already.', {
      hint: 'List its tokens to see which there are.',
    })
  }

  /** @throws AppError `not_found/not_found` */
  async revokeAll(userId: string): Promise<void> {
    if ((await this.users.deleteTokens(userId)) === 0) await this.refuseUnknown(userId)
  }

  private async refuseUnknown(userId: string): Promise<void> {
    if (!(await this.users.findById(userId))) throw unknownUser()
  }

  /** Nobody waits for it, and a store that cannot write still says who somebody is. */
  private noteUse({ id, last_used_at }: StoredToken): void {
    const now = this.now()
    if (this.noting.has(id) || isRecent(last_used_at, now)) return
    this.noting.add(id)
    const noted = () => this.noting.delete(id)
    this.users.noteTokenUse(id, toTimestamp(now)).then(noted, noted)
  }
}

/** An instant in the future is not: the clock has stepped back since, and would note nothing until it catches up. */
function isRecent(lastUsedAt: string | null, now: Micros): boolean {
  if (lastUsedAt === null) return false
  return lastUsedAt > toTimestamp(now - NOTED_EVERY) && lastUsedAt <= toTimestamp(now)
}
