import { join } from 'node:path'
import root, { type Test } from 'tap'
import { type AccountsOptions, createAccounts, type LedgerAccounts } from '../../src/accounts/ledger-accounts.js'
import { type Derive, derivePassword } from '../../src/login/password-hash.js'
import { PasswordHasher } from '../../src/login/password-hasher.js'
import { openSqliteStore, type SqliteStore } from '../../src/store/sqlite/store.js'
import type { UserStore } from '../../src/store/user-store.js'
import { testFolder } from '../support/test-folder.js'

export const NOON = 1_800_000_000_000_000
export const MINUTE = 60_000_000
export const PASSWORD = 'correct horse battery'
/** Iterations of the password hashes in tests: few enough to be fast, and enough that a test can store a hash with fewer. */
export const ITERATIONS = 10

/** Accounts over a real store, with stopped clocks and counted password hashes. */
export class AccountsRig {
  wallMicros = NOON
  elapsedMs = 0
  /** Iterations of each derivation that was made. */
  readonly derived: number[] = []
  /** Called before each derivation, so that a test can act while a password is hashed. */
  duringDerivation: () => unknown = () => undefined
  /** Names of the store methods that the accounts called. */
  readonly asked: string[] = []
  /** Name of the store method that rejects. */
  broken: string | undefined

  private constructor(readonly users: UserStore) {}

  /** Accounts over a new store in the folder of the test. The ledger is open. */
  static async open(t: Test, folder = testFolder(t)): Promise<AccountsRig> {
    return new AccountsRig((await openStore(t, folder)).users)
  }

  /** Accounts over a closed ledger without users. A test file has one store, because opening it takes longer than the tests. */
  static async closed(): Promise<AccountsRig> {
    if (shared === undefined) {
      shared = openStore(root)
      root.teardown(() => {
        shared = undefined
      })
    }
    const { users } = await shared
    for (const { id } of await users.list()) await users.delete(id, { mayLoseLastAdmin: true })
    await users.markClosed()
    return new AccountsRig(users)
  }

  /** The accounts as after a start of the server: no sessions, and the users of the store. */
  start(changes: Partial<AccountsOptions> = {}): Promise<LedgerAccounts> {
    return createAccounts({
      users: this.watched(),
      sessionTtlSeconds: 43_200,
      maxSessions: 1024,
      passwordMinLength: 8,
      throttleLogins: true,
      now: () => this.wallMicros,
      elapsed: () => this.elapsedMs,
      hasher: new PasswordHasher({ iterations: ITERATIONS, derive: this.derive }),
      ...changes,
    })
  }

  private readonly derive: Derive = async (password, salt, iterations) => {
    this.derived.push(iterations)
    await this.duringDerivation()
    return derivePassword(password, salt, iterations)
  }

  private watched(): UserStore {
    return new Proxy(this.users, {
      get: (users, name) => {
        const member = Reflect.get(users, name)
        if (typeof member !== 'function') return member
        return (...given: unknown[]) => {
          this.asked.push(String(name))
          if (name === this.broken) return Promise.reject(new Error('The disk is full.'))
          return member.apply(users, given)
        }
      },
    })
  }
}

let shared: Promise<SqliteStore> | undefined

async function openStore(t: Test, folder = testFolder(t)): Promise<SqliteStore> {
  const store = await openSqliteStore({
    path: join(folder, 'events.db'),
    clock: () => NOON,
    onFailure: error => t.fail(String(error)),
  })
  t.teardown(() => store.close())
  return store
}

/** Accounts with one administrator, Ada, and one member, Bob. */
export async function startWithUsers(changes: Partial<AccountsOptions> = {}, from = AccountsRig.closed()) {
  const rig = await from
  const accounts = await rig.start(changes)
  const ada = await accounts.createUser({ username: 'Ada', password: PASSWORD, role: 'admin' })
  const bob = await accounts.createUser({ username: 'bob', password: PASSWORD })
  rig.derived.length = 0
  rig.asked.length = 0
  return { rig, accounts, ada, bob }
}

/** A successful login. @returns its token */
export async function logIn(accounts: LedgerAccounts, username: string, replaces?: string): Promise<string> {
  const replaced = replaces === undefined ? {} : { replaces }
  const started = await accounts.login({ username, password: PASSWORD, address: '192.0.2.1', ...replaced })
  return started.sessionToken
}
