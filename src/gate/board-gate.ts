import { CredentialThrottle } from '../login/credential-throttle.js'
import { LoginThrottle } from '../login/login-throttle.js'
import { MultiServerThrottle } from '../login/multi-server-throttle.js'
import type { Derive } from '../login/password-hash.js'
import { safeEqual } from '../login/safe-equal.js'
import { AppError } from '../model/app-error.js'
import type { BoardSecrets } from '../model/board/board-secrets.js'
import type { Micros } from '../model/timestamp.js'
import type { BoardSessionStore } from '../store/board-session-store.js'
import type { LoginFailureStore } from '../store/login-failure-store.js'
import { BoardSessions } from './board-sessions.js'
import {
  type Decision,
  decide,
  type ExecutorProof,
  type GateRules,
  isOpen,
  type ResolvedRequest,
  refuseExecution,
} from './decide.js'
import type { AuthStatus, Gate, RequestFacts, StartedBoardSession } from './gate.js'
import type { BoardIdentity } from './identity.js'
import type { FindLedgerSession } from './ledger-login.js'
import { type BoardLogin, readBoardLogin } from './read-board-login.js'
import { toRefusal } from './refusal-errors.js'
import { SigningKeys } from './signing-keys.js'

export interface GateSettings {
  /** The secrets at startup, when every configured one could be read. */
  secrets: BoardSecrets
  /** Required in addition to the password. */
  username?: string
  sessionTtlSeconds: number
  /** A further origin of ours, in addition to the directly requested one. */
  serviceOrigin?: string
  throttleLogins: boolean
}

interface GateOptions {
  settings: GateSettings
  /** The current secrets; one that cannot be read at the moment is absent. */
  secrets: () => BoardSecrets | Promise<BoardSecrets>
  sessions: BoardSessionStore
  /** Where several servers count failed logins together. */
  loginFailures?: LoginFailureStore | undefined
  /** Wall clock. */
  now: () => Micros
  /** Milliseconds of a monotonic clock. */
  elapsed: () => number
  derive?: Derive
  /** Absent: sessions of the ledger do not count. */
  ledgerLogin?: FindLedgerSession | undefined
}

/** The name under which the login throttle counts: there is one account. No user name has this form. */
const LOGIN = 'the board'

/** The gate of a board, over its open store. */
export function createGate(options: GateOptions): Gate {
  const { settings, sessions: store, loginFailures, now, elapsed, derive } = options
  const keys = new SigningKeys(store.salt, derive)
  const parts = { store, keys, now, ttlSeconds: settings.sessionTtlSeconds }
  const sessions = new BoardSessions(parts, settings.secrets)
  const times = { now: elapsed, enabled: settings.throttleLogins }
  return new BoardGate(
    options,
    sessions,
    new MultiServerThrottle(new LoginThrottle(times), loginFailures),
    new CredentialThrottle(times),
  )
}

class BoardGate implements Gate {
  #rules: GateRules

  constructor(
    private readonly options: GateOptions,
    private readonly sessions: BoardSessions,
    private readonly throttle: MultiServerThrottle,
    private readonly credentialThrottle: CredentialThrottle,
  ) {
    const { secrets, serviceOrigin } = options.settings
    const hasLedgerLogin = options.ledgerLogin !== undefined
    const closed = { hasPassword: secrets.password !== undefined, hasKey: secrets.apiKey !== undefined, hasLedgerLogin }
    this.#rules = { ...closed, ...(serviceOrigin === undefined ? {} : { serviceOrigin }) }
  }

  async keepOwnSessions(): Promise<void> {
    await this.sessions.purge()
    await this.sessions.keepSignedBy(this.options.settings.secrets)
  }

  async admit(facts: RequestFacts): Promise<BoardIdentity> {
    const secrets = await this.#readSecrets()
    const request = await this.#resolve(facts, secrets)
    const decision = decide(request, this.#rules)
    if (this.#showsWrongKey(facts, request, decision)) this.credentialThrottle.failed(facts.address)
    // Only a caller who passes every other check has tried the executor's token.
    if (decision.refusal === 'executor_denied') this.#countExecution(facts, request.executor)
    if (decision.refusal) throw toRefusal(decision.refusal)
    return decision.identity
  }

  async admitExecution(facts: Pick<RequestFacts, 'executorToken' | 'address'>): Promise<void> {
    const proof = proveExecutor(facts, await this.#readSecrets())
    this.#countExecution(facts, proof)
    const refusal = refuseExecution(proof)
    if (refusal) throw toRefusal(refusal)
  }

  async provesExecution(facts: Pick<RequestFacts, 'executorToken' | 'address'>): Promise<boolean> {
    const proof = proveExecutor(facts, await this.#readSecrets())
    this.#countExecution(facts, proof)
    return proof === 'right'
  }

  authStatus(identity: BoardIdentity): AuthStatus {
    const { hasPassword, hasKey } = this.#rules
    return {
      enabled: hasPassword,
      authenticated: ['session', 'key', 'owner'].includes(identity.kind),
      username_required: hasPassword && this.options.settings.username !== undefined,
      api_token_enabled: hasKey,
    }
  }

  asksLogin(identity: BoardIdentity): boolean {
    const { hasPassword, hasKey, hasLedgerLogin } = this.#rules
    return (hasPassword || (hasLedgerLogin && !hasKey)) && identity.kind === 'anonymous'
  }

  async login(
    input: unknown,
    { cookies, address }: Pick<RequestFacts, 'cookies' | 'address'>,
  ): Promise<StartedBoardSession> {
    const attempt = readBoardLogin(input, { asksUsername: this.options.settings.username !== undefined })
    const secrets = await this.#readSecrets()
    await this.throttle.check(address, LOGIN)
    if (!this.#matches(attempt, secrets)) {
      await this.throttle.failed(address, LOGIN)
      throw new AppError('unauthenticated', 'invalid_credentials', 'The login is not valid for this board.', {
        hint: 'Check what you typed, and try again.',
      })
    }
    const started = await this.#start(secrets, cookies).catch(error => {
      this.throttle.abandoned(address, LOGIN)
      throw error
    })
    await this.throttle.succeeded(address, LOGIN)
    return started
  }

  async logout({ cookies }: Pick<RequestFacts, 'cookies'>): Promise<void> {
    const session = await this.sessions.find(cookies, await this.#readSecrets())
    if (session) return this.sessions.end(session)
    await this.sessions.purge()
    if (await this.options.ledgerLogin?.(cookies)) throw ledgerSession()
  }

  async #start(secrets: BoardSecrets, cookies: string | undefined): Promise<StartedBoardSession> {
    const started = await this.sessions.start(secrets, await this.sessions.find(cookies, secrets))
    if (!started) throw new Error('There was a password to compare with, but none to sign with')
    return started
  }

  /** Protection that was on at startup stays on: a secret that disappears opens nothing. */
  async #readSecrets(): Promise<BoardSecrets> {
    const secrets = await this.options.secrets()
    await this.sessions.noticeKey(secrets)
    const hasPassword = this.#rules.hasPassword || secrets.password !== undefined
    const hasKey = this.#rules.hasKey || secrets.apiKey !== undefined
    this.#rules = { ...this.#rules, hasPassword, hasKey }
    return secrets
  }

  async #resolve(facts: RequestFacts, secrets: BoardSecrets): Promise<ResolvedRequest> {
    // Compares both, even if the first matches, so that the time reveals nothing.
    const showsKey = [facts.bearer, facts.boardToken].map(shown => matchesSecret(secrets.apiKey, shown)).includes(true)
    const session = this.#mattersTo(facts, showsKey) ? await this.#findSession(facts, secrets) : undefined
    return {
      ...facts,
      showsKey,
      session,
      showsCsrfToken: isCsrfTokenOf(session, facts.csrfToken),
      executor: proveExecutor(facts, secrets),
    }
  }

  /** A login here begins a session of the board, even if the caller has a session of the ledger. */
  async #findSession({ access, cookies }: RequestFacts, secrets: BoardSecrets): Promise<ResolvedRequest['session']> {
    const own = this.#rules.hasPassword ? await this.sessions.find(cookies, secrets) : undefined
    if (own) return { csrfToken: own.csrfToken }
    const found = access === 'login' ? undefined : await this.options.ledgerLogin?.(cookies)
    return found && { csrfToken: found.csrfToken, ledgerUser: found.username }
  }

  /** The session is looked up only if it matters. */
  #mattersTo({ access, local }: RequestFacts, showsKey: boolean): boolean {
    if (local || access === 'public' || access === 'local' || isOpen(this.#rules)) return false
    return access === 'optional_login' || !showsKey
  }

  #matches({ username, password }: BoardLogin, secrets: BoardSecrets): boolean {
    const expected = this.options.settings.username
    const isName = expected === undefined || matchesSecret(expected, username)
    const isPassword = matchesSecret(secrets.password, password)
    return isName && isPassword
  }

  /** A wrong key does not admit its caller, but a valid session may. */
  #showsWrongKey({ access, bearer, boardToken }: RequestFacts, { showsKey }: ResolvedRequest, decision: Decision) {
    if (showsKey || !this.#rules.hasKey || (bearer ?? boardToken) === undefined) return false
    return (
      decision.refusal === 'unauthenticated' || (access === 'optional_login' && decision.identity?.kind === 'anonymous')
    )
  }

  /** A missing token does not count as a guess. @throws AppError `throttled/too_many_attempts` */
  #countExecution({ address }: Pick<RequestFacts, 'address'>, proof: ExecutorProof): void {
    if (proof === 'wrong') this.credentialThrottle.failed(address)
  }
}

function matchesSecret(expected: string | undefined, shown: string | undefined): boolean {
  return shown !== undefined && safeEqual(expected, shown)
}

function ledgerSession(): AppError {
  return new AppError('conflict', 'ledger_session', 'This is a session of the ledger, so it does not end here.', {
    hint: 'Log out at the ledger.',
  })
}

function isCsrfTokenOf(session: ResolvedRequest['session'], shown: string | undefined): boolean {
  return matchesSecret(session?.csrfToken, shown)
}

function proveExecutor({ executorToken }: Pick<RequestFacts, 'executorToken'>, secrets: BoardSecrets): ExecutorProof {
  if (secrets.executorToken === undefined) return 'unset'
  if (executorToken === undefined) return 'missing'
  return matchesSecret(secrets.executorToken, executorToken) ? 'right' : 'wrong'
}
