import { randomBytes } from 'node:crypto'
import { LoginThrottle } from '../login/login-throttle.js'
import { MultiServerThrottle } from '../login/multi-server-throttle.js'
import { PasswordHasher } from '../login/password-hasher.js'
import { safeEqual } from '../login/safe-equal.js'
import type { AccountLogEntry } from '../model/accounts/account-log.js'
import type { ListedUser, Role, User } from '../model/accounts/user.js'
import { unknownUser } from '../model/accounts/user.js'
import { AppError } from '../model/app-error.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import type { LedgerSessionStore } from '../store/ledger-session-store.js'
import type { LoginFailureStore } from '../store/login-failure-store.js'
import type { LastAdminRule, StoredUser, UserStore } from '../store/user-store.js'
import { AccountLog, type Actor, BOOTSTRAP_SETTINGS, COMMAND, changesOf } from './account-log.js'
import type { Accounts, LoginAttempt, NewUser, OwnPasswordChange, StartedSession } from './accounts.js'
import { ApiTokens } from './api-tokens.js'
import { createBootstrapUser } from './bootstrap.js'
import { ANONYMOUS, BOOTSTRAP_ADMIN, type Identity, OPEN, type ShownCredentials } from './identity.js'
import { toListedUser, toUser } from './public-user.js'
import { isUsername, readChangedUser, readLogin, readNewUser, readOwnPassword } from './read-user.js'
import { type NewSession, SessionRegistry, type SessionStore } from './session-registry.js'
import { StoredSessions } from './stored-sessions.js'
import { UserSessions } from './user-sessions.js'

export interface AccountsOptions {
  users: UserStore
  /** Where several servers share their sessions; absent: in memory. */
  storedSessions?: LedgerSessionStore | undefined
  /** Where several servers count failed logins together. */
  loginFailures?: LoginFailureStore | undefined
  /** Makes its bearer an admin without an account. Absent: disabled. */
  adminToken?: string | undefined
  sessionTtlSeconds: number
  maxSessions: number
  /** Minimum length of a new password, in bytes of UTF-8. */
  passwordMinLength: number
  throttleLogins: boolean
  /** Wall clock. */
  now: () => Micros
  /** Milliseconds of a monotonic clock. */
  elapsed: () => number
  hasher?: PasswordHasher
  /** Writes a line of the account log to the server's log. */
  writeLine?: (entry: AccountLogEntry) => void
  /** Called if the entry of a login could not be saved. */
  reportLoss?: (error: unknown) => void
}

/**
 * Accounts over an open store. An admin token closes the ledger permanently, even if it is later
 * started without one.
 *
 * @throws AppError `unavailable/…` if the store cannot commit that
 */
export async function createAccounts(options: AccountsOptions): Promise<LedgerAccounts> {
  const { users, storedSessions, sessionTtlSeconds, maxSessions, throttleLogins, elapsed } = options
  if (options.adminToken && !(await users.isClosed())) await users.markClosed()
  const log = new AccountLog(options)
  return new LedgerAccounts(options, {
    hasher: options.hasher ?? new PasswordHasher(),
    throttle: new MultiServerThrottle(
      new LoginThrottle({ now: elapsed, enabled: throttleLogins }),
      options.loginFailures,
    ),
    sessions: storedSessions
      ? new StoredSessions(storedSessions, { ttlSeconds: sessionTtlSeconds, maxSessions })
      : new SessionRegistry({ ttlSeconds: sessionTtlSeconds, maxSessions, elapsed, now: options.now }),
    log,
  })
}

interface Parts {
  hasher: PasswordHasher
  throttle: MultiServerThrottle
  sessions: SessionStore
  log: AccountLog
}

/**
 * Identifies callers and manages accounts. Knows neither HTTP nor SQL; the server's route table says which rights a
 * route needs. A call without an actor comes from a command on the ledger's machine.
 */
export class LedgerAccounts implements Accounts {
  private closed = false
  readonly tokens: ApiTokens
  readonly sessions: UserSessions
  readonly passwordMinLength: number
  private readonly rule: LastAdminRule

  constructor(
    private readonly options: AccountsOptions,
    private readonly parts: Parts,
  ) {
    this.passwordMinLength = options.passwordMinLength
    this.tokens = new ApiTokens(options.users, options.now, parts.log)
    this.sessions = new UserSessions(options.users, parts.sessions, parts.log)
    this.rule = { mayLoseLastAdmin: Boolean(options.adminToken) }
  }

  async isClosed(): Promise<boolean> {
    // A closed ledger never opens again, so only this needs caching.
    if (!this.closed && (await this.options.users.isClosed())) this.closed = true
    return this.closed
  }

  async identify({ adminToken, bearer, session }: ShownCredentials): Promise<Identity> {
    if (adminToken !== undefined && safeEqual(this.options.adminToken, adminToken)) return BOOTSTRAP_ADMIN
    const byToken = bearer === undefined ? undefined : await this.identifyToken(bearer)
    const known = byToken ?? (session === undefined ? undefined : await this.identifySession(session))
    if (known) return known
    return this.closed || (await this.isClosed()) ? ANONYMOUS : OPEN
  }

  async login(attempt: LoginAttempt, by: Actor = { identity: 'anonymous' }): Promise<StartedSession> {
    const { username } = readLogin(attempt)
    const { throttle } = this.parts
    await throttle.check(attempt.address, username)
    const started = await this.startSession(attempt, by).catch(error => {
      throttle.abandoned(attempt.address, username)
      throw error
    })
    if (!started) {
      await throttle.failed(attempt.address, username)
      await this.logFailure(username, by)
      throw new AppError('unauthenticated', 'invalid_credentials', 'Username and password do not match.', {
        hint: 'Try again, or ask an administrator whether the account is still in use.',
      })
    }
    await throttle.succeeded(attempt.address, username)
    const { user } = started.identity
    await this.parts.log.addSession({ action: 'ledger.login_succeeded', user }, { ...by, identity: 'session', user })
    return started
  }

  logout(sessionToken: string): Promise<void> {
    return this.parts.sessions.end(sessionToken)
  }

  async listUsers(): Promise<ListedUser[]> {
    return (await this.options.users.list()).map(toListedUser)
  }

  async createUser(input: unknown, by: Actor = COMMAND): Promise<User> {
    const { role = 'member', ...user } = readNewUser(input, this.options.passwordMinLength)
    return this.create({ ...user, role }, by)
  }

  /**
   * Creates the first administrator from the settings. An existing user of that name is left unchanged, password
   * included.
   *
   * @throws AppError `configuration/settings_invalid` for a name or password that no user can have
   */
  bootstrapUser(given: { username: string; password: string }): Promise<'created' | 'there'> {
    const { users, passwordMinLength } = this.options
    return createBootstrapUser({
      given,
      passwordMinLength,
      users,
      create: user => this.create(user, BOOTSTRAP_SETTINGS),
    })
  }

  async updateUser(id: string, input: unknown, by: Actor = COMMAND): Promise<User> {
    const { users, now, passwordMinLength } = this.options
    const before = await users.findById(id)
    if (!before) throw unknownUser()
    const { password, ...rights } = readChangedUser(input, passwordMinLength, before.username)
    const hashed = password === undefined ? {} : { password_hash: await this.parts.hasher.hash(password) }
    const sent = { ...rights, ...hashed, updated_at: toTimestamp(now()) }
    const entry = this.toEntry(before, { ...before, ...sent }, by)
    const user = await users.update(id, sent, this.rule, entry)
    if (!user) throw unknownUser()
    this.parts.log.writeLine(entry)
    if (password !== undefined || rights.enabled === false) await this.parts.sessions.endAllOf(id)
    return toUser(user)
  }

  async changeOwnPassword(change: OwnPasswordChange, by: Actor): Promise<StartedSession | undefined> {
    const { user, input, address, session } = change
    const { users, now, passwordMinLength } = this.options
    const { hasher, throttle, sessions, log } = this.parts
    const { current_password, password } = readOwnPassword(input, passwordMinLength, user.username)
    await throttle.check(address, user.username)
    const check = async () => {
      const stored = await users.findById(user.id)
      return (await hasher.verify(stored?.password_hash, current_password)) ? stored : undefined
    }
    const before = await check().catch(error => {
      throttle.abandoned(address, user.username)
      throw error
    })
    if (!before) {
      await throttle.failed(address, user.username)
      await log.addSession({ action: 'ledger.login_failed', user }, by)
      throw wrongPassword()
    }
    await throttle.succeeded(address, user.username)
    const password_hash = await hasher.hash(password)
    const changes = { password_hash, updated_at: toTimestamp(now()) }
    const entry = this.toEntry(before, { ...before, ...changes }, by)
    // Before the change: a server that stops after it leaves no session with a token from before it.
    const renewed = session === undefined ? undefined : await sessions.renew(session)
    const sent = { ...changes, replaces_hash: before.password_hash, keeps_session: renewed?.id }
    if (!(await users.update(user.id, sent, this.rule, entry))) throw wrongPassword()
    log.writeLine(entry)
    await sessions.endOf(user.id, id => id !== renewed?.id)
    return renewed && this.confirm(renewed, password_hash)
  }

  async deleteUser(id: string, by: Actor = COMMAND): Promise<void> {
    const { users } = this.options
    const before = await users.findById(id)
    if (!before) throw unknownUser()
    const entry = this.toEntry(before, undefined, by)
    if (!(await users.delete(id, this.rule, entry))) throw unknownUser()
    this.parts.log.writeLine(entry)
    await this.parts.sessions.endAllOf(id)
  }

  listLog(limit: number): Promise<AccountLogEntry[]> {
    return this.parts.log.list(limit)
  }

  private async identifyToken(bearer: string): Promise<Identity | undefined> {
    const found = await this.tokens.find(bearer)
    if (!found?.user.enabled) return undefined
    const user = toUser(found.user)
    const { may, sources } = found.token
    if (may === 'write') return { kind: 'writer', user, sources }
    return { kind: may === 'read' ? 'reader' : 'token', user }
  }

  private async identifySession(sessionToken: string): Promise<Identity | undefined> {
    const session = await this.parts.sessions.find(sessionToken)
    if (!session) return undefined
    const user = await this.options.users.findById(session.userId)
    if (!user?.enabled) return undefined
    return { kind: 'session', user: toUser(user), csrfToken: session.csrfToken, sessionId: session.id }
  }

  /** @returns undefined for wrong credentials, after the same work in each case */
  private async startSession(attempt: LoginAttempt, { address }: Actor): Promise<StartedSession | undefined> {
    const { username, password, replaces } = attempt
    const { users } = this.options
    const { hasher, sessions } = this.parts
    // Impossible names are not looked up: a store need not accept every text.
    const named = isUsername(username) ? await users.findByUsername(username) : undefined
    const candidate = named?.enabled ? named : undefined
    const matches = await hasher.verify(candidate?.password_hash, password)
    if (!candidate || !matches) return undefined
    return this.confirm(await sessions.start(candidate.id, { replaces, address }), candidate.password_hash)
  }

  /**
   * Ends a new session if its user has changed while the password was hashed. A concurrent disable, delete or password
   * change either ends this session too, or happened before this read.
   */
  private async confirm(session: NewSession, passwordHash: string): Promise<StartedSession | undefined> {
    const { id: sessionId, userId, sessionToken, csrfToken } = session
    const user = await this.options.users.findById(userId)
    if (user?.enabled && user.password_hash === passwordHash) {
      return { sessionToken, identity: { kind: 'session', user: toUser(user), csrfToken, sessionId } }
    }
    await this.parts.sessions.end(sessionToken)
    return undefined
  }

  /** A name that no user has is not saved: people type passwords into the name field. */
  private async logFailure(username: string, by: Actor): Promise<void> {
    const user = isUsername(username) ? await this.options.users.findByUsername(username) : undefined
    await this.parts.log.addSession({ action: 'ledger.login_failed', user }, by)
  }

  private toEntry(before: StoredUser | undefined, after: StoredUser | undefined, by: Actor): AccountLogEntry {
    const action = !before ? 'ledger.user_created' : after ? 'ledger.user_changed' : 'ledger.user_deleted'
    return this.parts.log.toEntry({ action, user: after ?? before, changes: changesOf(before, after) }, by)
  }

  private async create({ username, password, role }: NewUser & { role: Role }, by: Actor): Promise<User> {
    const { users, now } = this.options
    const password_hash = await this.parts.hasher.hash(password)
    const created_at = toTimestamp(now())
    const id = `user_${randomBytes(8).toString('hex')}`
    const user = { id, username, role, enabled: true, password_hash, created_at, updated_at: created_at }
    const entry = this.toEntry(undefined, user, by)
    await users.create(user, entry)
    this.parts.log.writeLine(entry)
    this.closed = true
    return toUser(user)
  }
}

function wrongPassword(): AppError {
  const detail = 'This is not your current password.'
  return new AppError('forbidden', 'wrong_password', detail, { errors: [{ field: '/current_password', detail }] })
}
