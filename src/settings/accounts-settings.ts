import { safeEqual } from '../login/safe-equal.js'
import { isCidr } from '../login/throttle-address.js'
import { LOGIN_APPEARANCES, LOGIN_LAYOUTS, LOGIN_PALETTES, type LoginLook } from '../model/login-look.js'
import { USER_LIMITS, USERNAME_PATTERN } from '../model/user.js'
import { readAdminToken } from './admin-token.js'
import { readPasswordFile } from './secret-setting.js'
import { place, type SettingReader } from './setting-reader.js'

/** Who may log in to the ledger, and how. */
export interface AccountsSettings {
  /** Sent as `X-Event-Admin-Token` it makes an admin without an account. */
  adminToken?: string
  /** The administrator that is created when there is no user of this name. */
  bootstrap?: { username: string; password: string }
  sessionTtlSeconds: number
  maxSessions: number
  /** The session's cookie goes over TLS alone. */
  cookieSecure: boolean
  /** Addresses and CIDR blocks of proxies that may say for whom they ask. Only the throttle of logins believes them. */
  trustedProxies: readonly string[]
  passwordMinLength: number
  throttleLogins: boolean
  loginPage: LoginLook
}

/** Shorter ones count as this. */
const LEAST_SESSION_SECONDS = 60
const SESSION_SECONDS = { min: 0, max: 31_536_000, default: 43_200 }
const SESSIONS = { min: 1, max: 100_000, default: 1024 }
const PASSWORD_LENGTH = { min: 1, max: USER_LIMITS.passwordBytes, default: 8 }
const MAX_PROXIES = 100
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
  const settings: AccountsSettings = {
    ...(adminToken === undefined ? {} : { adminToken }),
    ...(bootstrap ? { bootstrap } : {}),
    sessionTtlSeconds: Math.max(reader.integer('EVENT_SESSION_TTL_SECONDS', SESSION_SECONDS), LEAST_SESSION_SECONDS),
    maxSessions: reader.integer('EVENT_MAX_SESSIONS', SESSIONS),
    cookieSecure: reader.isOn('EVENT_COOKIE_SECURE'),
    trustedProxies: readProxies(reader),
    passwordMinLength: readPasswordMinLength(reader),
    throttleLogins: reader.oneOf('EVENT_LOGIN_THROTTLE', ['on', 'off'], 'on') === 'on',
    loginPage: {
      palette: reader.oneOf('EVENT_LOGIN_PALETTE', LOGIN_PALETTES, 'indigo'),
      layout: reader.oneOf('EVENT_LOGIN_LAYOUT', LOGIN_LAYOUTS, 'card'),
      appearance: reader.oneOf('EVENT_LOGIN_APPEARANCE', LOGIN_APPEARANCES, 'system'),
    },
  }
  if (!settings.throttleLogins)
    reader.warn('EVENT_LOGIN_THROTTLE is off: passwords can be guessed as fast as they are sent.')
  return settings
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

function readProxies(reader: SettingReader): readonly string[] {
  const allowed = `is not a list of up to ${MAX_PROXIES} IP addresses and blocks such as 10.0.0.0/8, with commas between them`
  return reader.text('EVENT_TRUSTED_PROXIES', acceptProxies, allowed) ?? []
}

function acceptProxies(text: string): string[] | undefined {
  const proxies = text.split(',').map(entry => entry.trim())
  return proxies.length <= MAX_PROXIES && proxies.every(isCidr) ? proxies : undefined
}
