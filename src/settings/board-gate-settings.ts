import { isHost } from '../login/origins.js'
import type { BoardSecrets } from '../model/board-secrets.js'
import { readBoardSecrets } from './board-secrets.js'
import { type LoginRules, readLoginRules } from './login-rules.js'
import type { SettingReader } from './setting-reader.js'

/** Who may come to the board, and how. */
export interface BoardGateSettings extends LoginRules {
  /** Asked for beside the password. */
  username?: string
  /** As they are at the start; `watchBoardSecrets` knows what becomes of them. */
  secrets: BoardSecrets
  /** Something is asked for: a password or a key. */
  isProtected: boolean
  /** The origin of `BOARD_SERVICE_URL`: pages of it are ours as well. */
  serviceOrigin?: string
}

const USERNAME = 'BOARD_USERNAME'
const MAX_USERNAME_CHARACTERS = 256
/** Control characters cannot be typed, and half of a surrogate pair has no UTF-8. */
const UNFIT = /[\p{Cc}\p{Cs}]/u
/** Of one address: no list, no pattern, no credentials, and nothing that a URL parser would take away or turn round. */
const ADDRESS = /^https?:\/\/[^\s\\/,*@?#][^\s\\,*@?#]*$/i

/**
 * The settings of the board's access gate, as part of a larger set, which ends with `reader.finish()`.
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
  const rules = readLoginRules(reader, 'BOARD')
  const { password, apiKey } = secrets
  if (
    username !== undefined &&
    password === undefined &&
    !reader.hasRefused(['BOARD_PASSWORD', 'BOARD_PASSWORD_FILE'])
  ) {
    reader.warn(`${USERNAME} has no effect without BOARD_PASSWORD: nobody can log in.`)
  }
  if (serviceOrigin?.startsWith('https:') && !rules.cookieSecure) {
    reader.warn('BOARD_SERVICE_URL is https, but BOARD_COOKIE_SECURE is off: browsers may send the cookie without TLS.')
  }
  return {
    ...rules,
    ...(username === undefined ? {} : { username }),
    ...(serviceOrigin === undefined ? {} : { serviceOrigin }),
    secrets,
    isProtected: password !== undefined || apiKey !== undefined,
  }
}

function readUsername(reader: SettingReader): string | undefined {
  const accept = (text: string) => {
    return text === text.trim() && text.length <= MAX_USERNAME_CHARACTERS && !UNFIT.test(text) ? text : undefined
  }
  const allowed = `is not a text of up to ${MAX_USERNAME_CHARACTERS} characters without blanks at its ends`
  return reader.text(USERNAME, accept, allowed)
}

function acceptServiceUrl(text: string): string | undefined {
  if (!ADDRESS.test(text) || !URL.canParse(text)) return undefined
  const { host, origin } = new URL(text)
  return isHost(host) ? origin : undefined
}
