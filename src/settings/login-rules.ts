import { isCidr } from '../login/caller-address.js'
import { LOGIN_APPEARANCES, LOGIN_LAYOUTS, LOGIN_PALETTES, type LoginDesign } from '../model/login-design.js'
import type { SettingReader } from './reading/setting-reader.js'

/** How users log in to one of the two programs. */
export interface LoginRules {
  sessionTtlSeconds: number
  /** Restricts the session cookie to TLS. */
  cookieSecure: boolean
  /** Addresses and CIDR blocks of proxies trusted to name the caller, for the login throttle and logs. */
  trustedProxies: readonly string[]
  throttleLogins: boolean
  loginPage: LoginDesign
}

/** Lower values are raised to this. */
const LEAST_SESSION_SECONDS = 60
const SESSION_SECONDS = { min: 0, max: 31_536_000, default: 43_200 }
const MAX_PROXIES = 100

/**
 * Settings that each program has under its own names: `EVENT_SESSION_TTL_SECONDS`, `BOARD_SESSION_TTL_SECONDS` and so
 * on.
 *
 * Source: Board Access Gate, "Configuration"; decisions on identity, section 5.
 */
export function readLoginRules(reader: SettingReader, prefix: 'EVENT' | 'BOARD'): LoginRules {
  const ttlSeconds = reader.integer(`${prefix}_SESSION_TTL_SECONDS`, SESSION_SECONDS)
  const rules: LoginRules = {
    sessionTtlSeconds: Math.max(ttlSeconds, LEAST_SESSION_SECONDS),
    cookieSecure: reader.isOn(`${prefix}_COOKIE_SECURE`),
    trustedProxies: readProxies(reader, `${prefix}_TRUSTED_PROXIES`),
    throttleLogins: reader.oneOf(`${prefix}_LOGIN_THROTTLE`, ['on', 'off'], 'on') === 'on',
    loginPage: {
      palette: reader.oneOf(`${prefix}_LOGIN_PALETTE`, LOGIN_PALETTES, 'indigo'),
      layout: reader.oneOf(`${prefix}_LOGIN_LAYOUT`, LOGIN_LAYOUTS, 'card'),
      appearance: reader.oneOf(`${prefix}_LOGIN_APPEARANCE`, LOGIN_APPEARANCES, 'system'),
    },
  }
  if (!rules.throttleLogins) {
    reader.warn(`${prefix}_LOGIN_THROTTLE is off: passwords can be guessed as fast as they are sent.`)
  }
  return rules
}

function readProxies(reader: SettingReader, name: string): readonly string[] {
  const allowed = `is not a list of up to ${MAX_PROXIES} IP addresses and blocks such as 10.0.0.0/8, with commas between them`
  return reader.text(name, acceptProxies, allowed) ?? []
}

function acceptProxies(text: string): string[] | undefined {
  const proxies = text.split(',').map(entry => entry.trim())
  return proxies.length <= MAX_PROXIES && proxies.every(isCidr) ? proxies : undefined
}
