import type { Derive } from '../login/password-hash.js'
import { safeEqual } from '../login/safe-equal.js'
import { LoginThrottle } from '../login/throttle.js'
import { AppError } from '../model/app-error.js'
import type { BoardSecrets } from '../model/board-secrets.js'
import type { Micros } from '../model/timestamp.js'
import type { BoardSessionStore } from '../store/board-session-store.js'
import { BoardSessions } from './board-sessions.js'
import {
  decide,
  type ExecutorProof,
  type GateRules,
  isOpen,
  type Refusal,
  type ResolvedRequest,
  refuseExecution,
} from './decide.js'
import type { AuthStatus, Gate, RequestFacts, StartedBoardSession } from './gate.js'
import type { BoardIdentity } from './identity.js'
import type { CookieSession } from './opened-cookies.js'
import { type BoardLogin, readBoardLogin } from './read-board-login.js'
import { toRefusal } from './refusals.js'
import { SigningKeys } from './signing-keys.js'

export interface GateSettings {
  /** As they are at the start, where every one that was named could be used. */
  secrets: BoardSecrets
  /** Asked for beside the password. */
  username?: string
  sessionTtlSeconds: number
  /** An origin of ours besides the one that is asked directly. */
  serviceOrigin?: string
  throttleLogins: boolean
}

export interface GateOptions {
  settings: GateSettings
  /** As they are now; one that cannot be read at the moment is absent. */
  secrets: () => BoardSecrets
  sessions: BoardSessionStore
  /** Wall clock. */
  now: () => Micros
  /** Milliseconds of a clock that only goes forward. */
  elapsed: () => number
  derive?: Derive
}

/** What the throttle counts under in place of a name: there is one account, and one token. No user can be called so. */
const LOGIN = 'the board'
const EXECUTOR = 'the executor'

/**
 * The gate of a board, over its open store. Ends the sessions that are over.
 *
 * @throws AppError `unavailable/store_…`
 */
export function createGate(options: GateOptions): Gate {
  const { settings, sessions: store, now, elapsed, derive } = options
  const keys = new SigningKeys(store.salt, derive)
  const sessions = new BoardSessions({ store, keys, now, ttlSeconds: settings.sessionTtlSeconds })
  sessions.purge()
  return new BoardGate(options, sessions, new LoginThrottle({ now: elapsed, enabled: settings.throttleLogins }))
}

class BoardGate implements Gate {
  #rules: GateRules

  constructor(
    private readonly options: GateOptions,
    private readonly sessions: BoardSessions,
    private readonly throttle: LoginThrottle,
  ) {
    const { secrets, serviceOrigin } = options.settings
    const closed = { hasPassword: secrets.password !== undefined, hasKey: secrets.apiKey !== undefined }
    this.#rules = { ...closed, ...(serviceOrigin === undefined ? {} : { serviceOrigin }) }
  }

  async admit(facts: RequestFacts): Promise<BoardIdentity> {
    const secrets = this.#readSecrets()
    const decision = decide(await this.#resolve(facts, secrets), this.#rules)
    // Only whoever came as far as the executor has tried its token.
    const tried = facts.access === 'execute' && (!decision.refusal || decision.refusal === 'executor_denied')
    if (tried) this.#countExecution(facts, decision.refusal)
    if (decision.refusal) throw toRefusal(decision.refusal)
    return decision.identity
  }

  admitExecution(facts: Pick<RequestFacts, 'executorToken' | 'address'>): void {
    const refusal = refuseExecution(proveExecutor(facts, this.#readSecrets()))
    this.#countExecution(facts, refusal)
    if (refusal) throw toRefusal(refusal)
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

  asksPassword(identity: BoardIdentity): boolean {
    return this.#rules.hasPassword && identity.kind === 'anonymous'
  }

  async login(
    input: unknown,
    { cookies, address }: Pick<RequestFacts, 'cookies' | 'address'>,
  ): Promise<StartedBoardSession> {
    const attempt = readBoardLogin(input, { asksUsername: this.options.settings.username !== undefined })
    const secrets = this.#readSecrets()
    this.throttle.check(address, LOGIN)
    if (!this.#matches(attempt, secrets)) {
      this.throttle.failed(address, LOGIN)
      throw new AppError('unauthenticated', 'invalid_credentials', 'This is not how to log in to the board.', {
        hint: 'Check what you typed, and try again.',
      })
    }
    const started = await this.#start(secrets, cookies).catch(error => {
      this.throttle.abandoned(address, LOGIN)
      throw error
    })
    this.throttle.succeeded(address, LOGIN)
    return started
  }

  async logout({ cookies }: Pick<RequestFacts, 'cookies'>): Promise<void> {
    const session = await this.sessions.find(cookies, this.#readSecrets())
    if (session) this.sessions.end(session)
    else this.sessions.purge()
  }

  async #start(secrets: BoardSecrets, cookies: string | undefined): Promise<StartedBoardSession> {
    const started = await this.sessions.start(secrets, await this.sessions.find(cookies, secrets))
    if (!started) throw new Error('There was a password to compare with, but none to sign with')
    return started
  }

  /** What was asked for once is asked for until the end: a secret that vanishes opens nothing. */
  #readSecrets(): BoardSecrets {
    const secrets = this.options.secrets()
    const hasPassword = this.#rules.hasPassword || secrets.password !== undefined
    const hasKey = this.#rules.hasKey || secrets.apiKey !== undefined
    this.#rules = { ...this.#rules, hasPassword, hasKey }
    return secrets
  }

  async #resolve(facts: RequestFacts, secrets: BoardSecrets): Promise<ResolvedRequest> {
    // Both are compared whatever comes of the first: the answer's time tells nothing.
    const showsKey = [facts.bearer, facts.boardToken].map(shown => isRight(secrets.apiKey, shown)).includes(true)
    const session = this.#mattersTo(facts, showsKey) ? await this.sessions.find(facts.cookies, secrets) : undefined
    return {
      ...facts,
      showsKey,
      session: session && { csrfToken: session.csrfToken },
      showsCsrfToken: isCsrfTokenOf(session, facts.csrfToken),
      executor: proveExecutor(facts, secrets),
    }
  }

  /** The store is asked for a session only where it makes a difference. */
  #mattersTo({ access, local }: RequestFacts, showsKey: boolean): boolean {
    if (local || access === 'public' || access === 'local' || isOpen(this.#rules)) return false
    return access === 'anybody' || !showsKey
  }

  #matches({ username, password }: BoardLogin, secrets: BoardSecrets): boolean {
    const expected = this.options.settings.username
    const isName = expected === undefined || isRight(expected, username)
    const isPassword = isRight(secrets.password, password)
    return isName && isPassword
  }

  /** A token that is missing is no guess. @throws AppError `throttled/too_many_attempts` */
  #countExecution(
    { executorToken, address }: Pick<RequestFacts, 'executorToken' | 'address'>,
    refusal?: Refusal,
  ): void {
    if (executorToken === undefined || refusal === 'executor_disabled') return
    this.throttle.check(address, EXECUTOR)
    if (refusal) this.throttle.failed(address, EXECUTOR)
    else this.throttle.succeeded(address, EXECUTOR)
  }
}

function isRight(expected: string | undefined, shown: string | undefined): boolean {
  return shown !== undefined && safeEqual(expected, shown)
}

function isCsrfTokenOf(session: CookieSession | undefined, shown: string | undefined): boolean {
  return isRight(session?.csrfToken, shown)
}

function proveExecutor({ executorToken }: Pick<RequestFacts, 'executorToken'>, secrets: BoardSecrets): ExecutorProof {
  if (secrets.executorToken === undefined) return 'unset'
  if (executorToken === undefined) return 'missing'
  return isRight(secrets.executorToken, executorToken) ? 'right' : 'wrong'
}
