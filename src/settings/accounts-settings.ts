import { safeEqual } from '../login/safe-equal.js'
import { USER_LIMITS, USERNAME_PATTERN } from '../model/user.js'
import { readAdminToken } from './admin-token.js'
import { type LoginRules, readLoginRules } from './login-rules.js'
import { readPasswordFile } from './secret-setting.js'
import { place, type SettingReader } from './setting-reader.js'

/** Who may log in to the ledger, and how. */
export interface AccountsSettings extends LoginRules {
  /** Sent as `X-Event-Admin-Token` it makes an admin without an account. */
  adminToken?: string
  /** The administrator that is created when there is no user of this name. */
  bootstrap?: { username: string; password: string }
  maxSessions: number
  passwordMinLength: number
}

const SESSIONS = { min: 1, max: 100_000, default: 1024 }
const PASSWORD_LENGTH = { min: 1, max: USER_LIMITS.passwordBytes, default: 8 }
/** Of an admin token. A shorter one could be guessed. */
const ADVISED_CHARACTERS = 16

/**
 * The settings of users, sessions and the login page, as part of a larger set, which ends with `reader.finish()`.
 * A secret that somebody named but that cannot be used is a problem: without it the ledger would stand open.
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

/** Half of it is a mistake: whoever named one of the two means to have an administrator. */
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
    reader.warn(`The admin token is shorter than ${ADVISED_CHARACTERS} characters. Take a longer one, made by chance.`)
  }
  if (password !== undefined && safeEqual(adminToken, password)) {
    reader.warn('The admin token is the password of the bootstrap user as well. Take two different secrets.')
  }
}
