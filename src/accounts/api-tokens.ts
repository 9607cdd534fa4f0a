import { randomBytes } from 'node:crypto'
import { newSecret } from '../login/new-secret.js'
import { type ApiToken, type IssuedToken, USER_LIMITS, unknownUser } from '../model/accounts/user.js'
import { AppError } from '../model/app-error.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import type { OwnedToken, StoredToken, StoredUser, UserStore } from '../store/user-store.js'
import { type AccountLog, type Actor, COMMAND } from './account-log.js'
import { readNewToken } from './read-new-token.js'
import { toSecretDigest } from './secret-digest.js'

const TOKEN = /^tok_[A-Za-z0-9_-]{43}$/
const PREFIX_CHARACTERS = 8
/** A use is recorded only if the last recorded use is at least this old. */
const NOTED_EVERY: Micros = 60_000_000

/** The methods that other folders use. */
export type UserTokens = Pick<ApiTokens, 'issue' | 'list' | 'revoke' | 'revokeAll'>

/**
 * API tokens: many per user, stored only as digests, revoked one by one.
 *
 * Source: decisions on identity, section 5, "Tokens"; decisions on security, section 2.
 */
export class ApiTokens {
  /** Tokens whose use is being recorded; other requests in that time read the previous value. */
  private readonly noting = new Set<string>()

  constructor(
    private readonly users: UserStore,
    private readonly now: () => Micros,
    private readonly log: AccountLog,
  ) {}

  /**
   * Finds a token that has not ended, with its user, who may be disabled. Costs one read, and at most one write of
   * `last_used_at` per minute.
   */
  async find(shown: string): Promise<OwnedToken | undefined> {
    if (!TOKEN.test(shown)) return undefined
    const found = await this.users.findByTokenDigest(toSecretDigest(shown))
    const { expires_at = null } = found?.token ?? {}
    if (!found || (expires_at !== null && expires_at <= toTimestamp(this.now()))) return undefined
    if (found.user.enabled) this.noteUse(found.token)
    return found
  }

  /**
   * @param input a `NewToken`, not validated yet; absent: all rights of the user, without an end
   * @throws AppError `not_found/not_found`, `invalid/invalid_json`, `invalid/invalid_field` with every field
   */
  async issue(userId: string, by: Actor = COMMAND, input: unknown = {}): Promise<IssuedToken> {
    const now = this.now()
    const terms = readNewToken(input, now)
    const user = await this.get(userId)
    const token = `tok_${newSecret()}`
    const id = `token_${randomBytes(8).toString('hex')}`
    const prefix = token.slice(0, PREFIX_CHARACTERS)
    const created_at = toTimestamp(now)
    const digest = toSecretDigest(token)
    const stored = { id, user_id: userId, digest, prefix, ...terms, created_at, last_used_at: null }
    const changes = { token: { id, prefix, ...terms } }
    const entry = this.log.toEntry({ action: 'ledger.token_issued', user, changes }, by)
    await this.users.addToken(stored, USER_LIMITS.tokens, entry)
    this.log.writeLine(entry)
    return { id, token, prefix, ...terms, created_at }
  }

  /** @throws AppError `not_found/not_found` */
  async list(userId: string): Promise<ApiToken[]> {
    await this.get(userId)
    const tokens = await this.users.listTokens(userId)
    // Members are listed by name so that the digest never leaves the store.
    return tokens.map(({ id, prefix, may, sources, name, expires_at, created_at, last_used_at }) => {
      return { id, prefix, may, sources, name, expires_at, created_at, last_used_at }
    })
  }

  /** @throws AppError `not_found/not_found` */
  async revoke(userId: string, tokenId: string, by: Actor = COMMAND): Promise<void> {
    const user = await this.get(userId)
    const changes = { token: { id: tokenId, prefix: null } }
    const entry = this.log.toEntry({ action: 'ledger.token_revoked', user, changes }, by)
    if (await this.users.deleteToken(userId, tokenId, entry)) return this.log.writeLine(entry)
    throw new AppError('not_found', 'not_found', 'This user has no such token; it may be revoked already.', {
      hint: 'List its tokens to see which there are.',
    })
  }

  /** @throws AppError `not_found/not_found` */
  async revokeAll(userId: string, by: Actor = COMMAND): Promise<void> {
    const user = await this.get(userId)
    const entry = this.log.toEntry({ action: 'ledger.tokens_revoked', user }, by)
    if ((await this.users.deleteTokens(userId, entry)) > 0) this.log.writeLine(entry)
  }

  private async get(userId: string): Promise<StoredUser> {
    const user = await this.users.findById(userId)
    if (!user) throw unknownUser()
    return user
  }

  /** Not awaited: a store that cannot write still identifies callers. */
  private noteUse({ id, last_used_at }: StoredToken): void {
    const now = this.now()
    if (this.noting.has(id) || isRecent(last_used_at, now)) return
    this.noting.add(id)
    const noted = () => this.noting.delete(id)
    this.users.noteTokenUse(id, toTimestamp(now)).then(noted, noted)
  }
}

/** A future instant is not recent: after the clock was set back, no use would be recorded until it catches up. */
function isRecent(lastUsedAt: string | null, now: Micros): boolean {
  if (lastUsedAt === null) return false
  return lastUsedAt > toTimestamp(now - NOTED_EVERY) && lastUsedAt <= toTimestamp(now)
}
