import { isHost, isLoopbackHost } from '../../login/origins.js'
import type { BoardSecrets } from '../../model/board/board-secrets.js'
import { parseUrl } from '../../model/parse-url.js'
import { API_URL_ALLOWED, acceptApiUrl } from '../api-address.js'
import { type LoginRules, readLoginRules } from '../login-rules.js'
import type { SettingReader } from '../reading/setting-reader.js'
import { readBoardSecrets } from './secrets.js'

/** Who may use the board, and how they log in. */
export interface BoardGateSettings extends LoginRules {
  /** Required in addition to the password. */
  username?: string
  /** The secrets at startup. `watchBoardSecrets` reads later changes. */
  secrets: BoardSecrets
  /** Base address of the ledger whose browser sessions count, without trailing slash. */
  ledgerLogin?: string
  /** Whether a password, a key or a session of the ledger is required. */
  isProtected: boolean
  /** The origin of `BOARD_SERVICE_URL`, whose pages are ours too. */
  serviceOrigin?: string
}

const USERNAME = 'BOARD_USERNAME'
const MAX_USERNAME_CHARACTERS = 256
/** Control characters cannot be typed, and a lone surrogate has no UTF-8 form. */
const UNFIT = /[\p{Cc}\p{Cs}]/u
/** Exactly one address: no list, pattern or credentials, and no text that a URL parser would drop or rewrite. */
const ADDRESS = /^https?:\/\/[^\s\\/,*@?#][^\s\\,*@?#]*$/i

/**
 * Settings of the board's access gate, as part of a larger set that ends with `reader.finish()`.
 *
 * Source: Board Access Gate, "Configuration"; decisions on identity, section 5.
 */
export function readBoardGate(reader: SettingReader): BoardGateSettings {
  const secrets = readBoardSecrets(reader)
  const username = readUsername(reader)
  const serviceOrigin = reader.text(
    'BOARD_SERVICE_URL',
    acceptServiceUrl,
    'is not the http or https address of one host',
  )
  const ledgerLogin = readLedgerLogin(reader)
  const rules = readLoginRules(reader, 'BOARD')
  const { password, apiKey } = secrets
  if (
    username !== undefined &&
    password === undefined &&
    !reader.hasRefused(['BOARD_PASSWORD', 'BOARD_PASSWORD_FILE'])
  ) {
    reader.warn(`${USERNAME} has no effect without BOARD_PASSWORD: no login is possible.`)
  }
  if (serviceOrigin?.startsWith('https:') && !rules.cookieSecure) {
    reader.warn('BOARD_SERVICE_URL is https, but BOARD_COOKIE_SECURE is off: browsers may send the cookie without TLS.')
  }
  return {
    ...rules,
    ...(username === undefined ? {} : { username }),
    ...(serviceOrigin === undefined ? {} : { serviceOrigin }),
    ...(ledgerLogin === undefined ? {} : { ledgerLogin }),
    secrets,
    isProtected: password !== undefined || apiKey !== undefined || ledgerLogin !== undefined,
  }
}

function readUsername(reader: SettingReader): string | undefined {
  const accept = (text: string) => {
    return text === text.trim() && text.length <= MAX_USERNAME_CHARACTERS && !UNFIT.test(text) ? text : undefined
  }
  const allowed = `is not a text of up to ${MAX_USERNAME_CHARACTERS} characters without blanks at its ends`
  return reader.text(USERNAME, accept, allowed)
}

function readLedgerLogin(reader: SettingReader): string | undefined {
  const url = reader.text('BOARD_LEDGER_LOGIN', acceptApiUrl, API_URL_ALLOWED)
  if (url !== undefined && new URL(url).protocol === 'http:' && !isLoopbackHost(new URL(url).host)) {
    reader.warn('BOARD_LEDGER_LOGIN is http to another machine: session cookies are sent to it without TLS.')
  }
  return url
}

function acceptServiceUrl(text: string): string | undefined {
  const url = ADDRESS.test(text) ? parseUrl(text) : undefined
  return url && isHost(url.host) ? url.origin : undefined
}
