import { randomBytes } from 'node:crypto'
import { PasswordHasher } from '../login/password-hasher.js'
import { safeEqual } from '../login/safe-equal.js'
import { LoginThrottle } from '../login/throttle.js'
import { AppError } from '../model/app-error.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import type { ApiToken, IssuedToken, ListedUser, Role, User } from '../model/user.js'
import type { LastAdminRule, UserStore } from '../store/user-store.js'
import type { Accounts, LoginAttempt, NewUser, StartedSession } from './accounts.js'
import { ApiTokens } from './api-tokens.js'
import { createBootstrapUser } from './bootstrap.js'
import { ANONYMOUS, BOOTSTRAP_ADMIN, type Identity, type ShownCredentials } from './identity.js'
import { isUsername, readChangedUser, readLogin, readNewUser } from './read-user.js'
import { SessionRegistry, type SessionStore } from './session-registry.js'
import { toListedUser, toUser, unknownUser } from './shown-user.js'

export interface AccountsOptions {
  users: UserStore
  /** Of the bootstrap admin: an admin without an account. Not set: there is none. */
  adminToken?: string | undefined
  sessionTtlSeconds: number
  maxSessions: number
  /** Bytes of UTF-8 that a new password has at least. */
  passwordMinLength: number
  throttleLogins: boolean
  /** Wall clock. */
  now: () => Micros
  /** Milliseconds of a clock that only goes forward. */
  elapsed: () => number
  hasher?: PasswordHasher
}

/**
 * Accounts over an open store, with sessions in memory. With an admin token the ledger is closed from here on, also
 * when it is started without one later.
 *
 * @throws AppError `unavailable/…` when the store cannot commit that
 */
export async function createAccounts(options: AccountsOptions): Promise<LedgerAccounts> {
  const { users, sessionTtlSeconds, maxSessions, throttleLogins, elapsed } = options
  if (options.adminToken && !(await users.isClosed())) await users.markClosed()
  return new LedgerAccounts(options, {
    hasher: options.hasher ?? new PasswordHasher(),
    throttle: new LoginThrottle({ now: elapsed, enabled: throttleLogins }),
    sessions: new SessionRegistry({ ttlSeconds: sessionTtlSeconds, maxSessions, elapsed }),
    tokens: new ApiTokens(users, options.now),
  })
}

interface Parts {
  hasher: PasswordHasher
  throttle: LoginThrottle
  sessions: SessionStore
  tokens: ApiTokens
}

/** Who may come in, and who that is. Knows neither HTTP nor SQL; which rights a route needs is the server's table. */
export class LedgerAccounts implements Accounts {
  private closed = false
  private readonly rule: LastAdminRule

  constructor(
    private readonly options: AccountsOptions,
    private readonly parts: Parts,
  ) {
    this.rule = { mayLoseLastAdmin: Boolean(options.adminToken) }
  }

  async isClosed(): Promise<boolean> {
    // Never open again, so that is all there is to remember.
    if (!this.closed && (await this.options.users.isClosed())) this.closed = true
    return this.closed
  }

  async identify({ adminToken, bearer, session }: ShownCredentials): Promise<Identity> {
    if (adminToken !== undefined && safeEqual(this.options.adminToken, adminToken)) return BOOTSTRAP_ADMIN
    const known = (await this.identifyToken(bearer)) ?? (await this.identifySession(session))
    if (known) return known
    return (await this.isClosed()) ? ANONYMOUS : { kind: 'open' }
  }

  async login(attempt: LoginAttempt): Promise<StartedSession> {
    const { username } = readLogin(attempt)
    const { throttle } = this.parts
    throttle.check(attempt.address, username)
    const started = await this.startSession(attempt).catch(error => {
      throttle.abandoned(attempt.address, username)
      throw error
    })
    if (!started) {
      throttle.failed(attempt.address, username)
      throw new AppError('unauthenticated', 'invalid_credentials', 'Username and password do not match.', {
        hint: 'Try again, or ask an administrator whether the account is still in use.',
      })
    }
    throttle.succeeded(attempt.address, username)
    return started
  }

  logout(sessionToken: string): Promise<void> {
    return this.parts.sessions.end(sessionToken)
  }

  async listUsers(): Promise<ListedUser[]> {
    return (await this.options.users.list()).map(toListedUser)
  }

  async createUser(input: unknown): Promise<User> {
    const { role = 'member', ...user } = readNewUser(input, this.options.passwordMinLength)
    return this.create({ ...user, role })
  }

  /**
   * The first administrator, from the settings. Whoever has that name already stays as it is, password included.
   *
   * @throws AppError `configuration/settings_invalid` for a name or password that no user can have
   */
  bootstrapUser(given: { username: string; password: string }): Promise<'created' | 'there'> {
    const { users, passwordMinLength } = this.options
    return createBootstrapUser({ given, passwordMinLength, users, create: user => this.create(user) })
  }

  async updateUser(id: string, input: unknown): Promise<User> {
    const { users, now, passwordMinLength } = this.options
    const { password, ...rights } = readChangedUser(input, passwordMinLength)
    if (!(await users.findById(id))) throw unknownUser() // before the work of a hash
    const hashed = password === undefined ? {} : { password_hash: await this.parts.hasher.hash(password) }
    const user = await users.update(id, { ...rights, ...hashed, updated_at: toTimestamp(now()) }, this.rule)
    if (!user) throw unknownUser()
    if (password !== undefined || rights.enabled === false) await this.parts.sessions.endAllOf(id)
    return toUser(user)
  }

  async deleteUser(id: string): Promise<void> {
    if (!(await this.options.users.delete(id, this.rule))) throw unknownUser()
    await this.parts.sessions.endAllOf(id)
  }

  issueToken(userId: string): Promise<IssuedToken> {
    return this.parts.tokens.issue(userId)
  }

  listTokens(userId: string): Promise<ApiToken[]> {
    return this.parts.tokens.list(userId)
  }

  revokeToken(userId: string, tokenId: string): Promise<void> {
    return this.parts.tokens.revoke(userId, tokenId)
  }

  revokeTokens(userId: string): Promise<void> {
    return this.parts.tokens.revokeAll(userId)
  }

  private async identifyToken(bearer: string | undefined): Promise<Identity | undefined> {
    if (bearer === undefined) return undefined
    const user = await this.parts.tokens.findOwner(bearer)
    return user?.enabled ? { kind: 'token', user: toUser(user) } : undefined
  }

  private async identifySession(sessionToken: string | undefined): Promise<Identity | undefined> {
    if (sessionToken === undefined) return undefined
    const session = await this.parts.sessions.find(sessionToken)
    if (!session) return undefined
    const user = await this.options.users.findById(session.userId)
    return user?.enabled ? { kind: 'session', user: toUser(user), csrfToken: session.csrfToken } : undefined
  }

  /** @returns nothing when this is not how to log in, after the same work whatever is wrong */
  private async startSession({ username, password, replaces }: LoginAttempt): Promise<StartedSession | undefined> {
    const { users } = this.options
    const { hasher, sessions } = this.parts
    // What nobody can be called is not asked for: a store need not take every text.
    const named = isUsername(username) ? await users.findByUsername(username) : undefined
    const candidate = named?.enabled ? named : undefined
    const matches = await hasher.verify(candidate?.password_hash, password)
    if (!candidate || !matches) return undefined
    const { sessionToken, csrfToken } = await sessions.start(candidate.id, replaces)
    // Much may have happened while the password was hashed. Whoever disabled or deleted the user, or changed its
    // password, either ends this session too, or did it before this read.
    const user = await users.findById(candidate.id)
    if (user?.enabled && user.password_hash === candidate.password_hash) {
      return { sessionToken, identity: { kind: 'session', user: toUser(user), csrfToken } }
    }
    await sessions.end(sessionToken)
    return undefined
  }

  private async create({ username, password, role }: NewUser & { role: Role }): Promise<User> {
    const { users, now } = this.options
    const password_hash = await this.parts.hasher.hash(password)
    const created_at = toTimestamp(now())
    const id = `user_${randomBytes(8).toString('hex')}`
    const user = { id, username, role, enabled: true, password_hash, created_at, updated_at: created_at }
    await users.create(user)
    this.closed = true
    return toUser(user)
  }
}
