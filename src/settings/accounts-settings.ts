import { safeEqual } from '../login/safe-equal.js'
import { USER_LIMITS, USERNAME_PATTERN } from '../model/accounts/user.js'
import { readAdminToken } from './admin-token.js'
import { type LoginRules, readLoginRules } from './login-rules.js'
import { readPasswordFile } from './reading/secret-setting.js'
import { place, type SettingReader } from './reading/setting-reader.js'

/** Who may log in to the ledger, and how. */
export interface AccountsSettings extends LoginRules {
  /** A request that shows it in `X-Event-Admin-Token` acts as an admin without an account. */
  adminToken?: string
  /** The administrator to create if no user has this name. */
  bootstrap?: { username: string; password: string }
  maxSessions: number
  passwordMinLength: number
}

const SESSIONS = { min: 1, max: 100_000, default: 1024 }
const PASSWORD_LENGTH = { min: 1, max: USER_LIMITS.passwordBytes, default: 8 }
/** Recommended minimum length of an admin token. A shorter one could be guessed. */
const ADVISED_CHARACTERS = 16

/**
 * Settings of users, sessions and the login page, as part of a larger set that ends with `reader.finish()`. A
 * configured secret that cannot be read is a problem: without it, the ledger would be open.
 *
 * Source: Event Ledger Service, "Authentication"; decisions on identity, section 5.
 */
export function readAccounts(reader: SettingReader, home: string): AccountsSettings {
  const adminToken = readAdminToken(reader, () => home)
  const bootstrap = readBootstrap(reader)
  warnOfWeakToken(reader, adminToken, bootstrap?.password)
  return {
    ...(adminToken === undefined ? {} : { adminToken }),
    ...(bootstrap ? { bootstrap } : {}),
    ...readLoginRules(reader, 'EVENT'),
    maxSessions: reader.integer('EVENT_MAX_SESSIONS', SESSIONS),
    passwordMinLength: readPasswordMinLength(reader),
  }
}

export function readPasswordMinLength(reader: SettingReader): number {
  return reader.integer('EVENT_PASSWORD_MIN_LENGTH', PASSWORD_LENGTH)
}

const USERNAME = 'EVENT_BOOTSTRAP_USERNAME'
const PASSWORD_FILE = 'EVENT_BOOTSTRAP_PASSWORD_FILE'
const USERNAME_RULE = `is not a letter or digit and then up to ${USER_LIMITS.usernameCharacters - 1} of: letters, digits, ".", "_", "@", "-"`

/** Username and password. Only one of them is a mistake: the operator wanted an administrator. */
function readBootstrap(reader: SettingReader): AccountsSettings['bootstrap'] {
  const isUsername = new RegExp(USERNAME_PATTERN)
  const accept = (text: string) => (isUsername.test(text) ? text : undefined)
  const username = reader.text(USERNAME, accept, USERNAME_RULE)
  const password = readPasswordFile(reader, PASSWORD_FILE)
  const [hasName, hasFile] = [reader.find(USERNAME), reader.find(PASSWORD_FILE)]
  if (hasName && !hasFile && !reader.hasRefused([PASSWORD_FILE])) {
    reader.refuse(
      USERNAME,
      `${USERNAME}${place(hasName)} is set without ${PASSWORD_FILE}. Name the file of its password.`,
    )
  }
  if (hasFile && !hasName) {
    reader.refuse(PASSWORD_FILE, `${PASSWORD_FILE}${place(hasFile)} is set without ${USERNAME}. Name the user.`)
  }
  return username === undefined || password === undefined ? undefined : { username, password }
}

function warnOfWeakToken(reader: SettingReader, adminToken: string | undefined, password: string | undefined): void {
  if (adminToken === undefined) return
  if (adminToken.length < ADVISED_CHARACTERS) {
    reader.warn(`The admin token is shorter than ${ADVISED_CHARACTERS} characters. Use a longer, random one.`)
  }
  if (password !== undefined && safeEqual(adminToken, password)) {
    reader.warn('The admin token is the password of the bootstrap user as well. Use two different secrets.')
  }
}
