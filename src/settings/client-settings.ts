import { readAdminToken } from './admin-token.js'
import { API_URL_ALLOWED, acceptApiUrl } from './api-address.js'
import { type ChosenProfile, findProfile } from './profiles.js'
import { headerWord, readGivenSecretFile, readSecret } from './reading/secret-setting.js'
import { type FoundSetting, SettingReader } from './reading/setting-reader.js'
import type { SettingSources } from './reading/setting-sources.js'

/** The credential of a request. */
export type Credential =
  /** Sent as `Authorization: Bearer`. */
  | { kind: 'token'; secret: string }
  /** Sent as `X-Event-Admin-Token`. */
  | { kind: 'admin'; secret: string }

export interface ClientSettings {
  /** The ledger's base address, without trailing slash. May have a path. */
  apiUrl: string
  credential?: Credential
}

export interface ClientFlags {
  apiUrl?: string | undefined
  token?: string | undefined
  /** A file with the token. */
  tokenFile?: string | undefined
  profile?: string | undefined
}

/** The setting that gave each part of the client's settings: `--api-url`, `EVENT_API_URL`, `profile work`. */
interface ClientOrigins {
  apiUrl: string
  credential: string | null
  profile: string | null
}

export const DEFAULT_API_URL = 'http://127.0.0.1:8765'

/**
 * Address of the ledger and the credential: an API token, else the admin token, else none. Flags take precedence over
 * environment variables, and these over the profile. A profile that a flag names takes precedence over variables.
 *
 * @throws AppError `configuration/settings_invalid`, with every problem
 *
 * Source: Event Ledger Service, "Command-line client".
 */
export function readClientSettings(flags: ClientFlags, sources: SettingSources): ClientSettings {
  const reader = new SettingReader(sources)
  const settings = readClient(reader, flags)
  reader.finish()
  return settings
}

/** The same as part of a larger set that ends with `reader.finish()`. */
export function readClient(reader: SettingReader, flags: ClientFlags): ClientSettings {
  return explainClient(reader, flags).settings
}

/** The same, with the origin of each part. */
export function explainClient(
  reader: SettingReader,
  flags: ClientFlags,
): { settings: ClientSettings; origins: ClientOrigins } {
  const profile = findProfile(reader, flags.profile)
  const { apiUrl, origin } = findAddress(reader, flags, profile)
  // A token for one ledger must not be sent to another.
  const found = findToken(reader, flags, profile?.api_url === apiUrl ? profile : undefined)
  const adminToken = found ? undefined : readAdminToken(reader)
  const admin: Credential | undefined = adminToken === undefined ? undefined : { kind: 'admin', secret: adminToken }
  const credential: Credential | undefined = found ? { kind: 'token', secret: found.token } : admin
  const credentialOrigin = found?.origin ?? (admin ? 'admin token' : null)
  return {
    settings: { apiUrl, ...(credential ? { credential } : {}) },
    origins: { apiUrl: origin, credential: credentialOrigin, profile: profile?.name ?? null },
  }
}

function findAddress(
  reader: SettingReader,
  flags: ClientFlags,
  profile: ChosenProfile | undefined,
): { apiUrl: string; origin: string } {
  const given = { flag: '--api-url', value: flags.apiUrl }
  const found = profile?.isNamedByFlag && flags.apiUrl === undefined ? undefined : reader.find('EVENT_API_URL', given)
  if (found) {
    const apiUrl = reader.text('EVENT_API_URL', acceptApiUrl, API_URL_ALLOWED, given)
    return { apiUrl: apiUrl ?? DEFAULT_API_URL, origin: found.name }
  }
  if (profile) return { apiUrl: profile.api_url, origin: `profile ${profile.name}` }
  return { apiUrl: DEFAULT_API_URL, origin: 'default' }
}

/** @param profile the profile, if it is for this ledger */
function findToken(
  reader: SettingReader,
  flags: ClientFlags,
  profile: ChosenProfile | undefined,
): { token: string; origin: string } | undefined {
  if (flags.tokenFile !== undefined && flags.token === undefined) {
    return readTokenFile(reader, { name: '--token-file', value: flags.tokenFile })
  }
  const isOfProfile = profile?.isNamedByFlag && flags.token === undefined
  const found = isOfProfile ? undefined : reader.find('EVENT_API_TOKEN', { flag: '--token', value: flags.token })
  const file = isOfProfile || found ? undefined : reader.find('EVENT_API_TOKEN_FILE')
  if (file) return readTokenFile(reader, file)
  if (found) return { token: headerWord(reader, found.name, found.value), origin: found.name }
  return (
    profile && {
      token: headerWord(reader, `profile ${profile.name}`, profile.token),
      origin: `profile ${profile.name}`,
    }
  )
}

function readTokenFile(reader: SettingReader, file: FoundSetting): { token: string; origin: string } {
  const token = readGivenSecretFile(reader, file)
  return { token: token === undefined ? '' : headerWord(reader, file.name, token), origin: file.name }
}

export interface BoardClientSettings {
  /** The board's base address, without trailing slash. May have a path. */
  boardUrl: string
  /** Sent as `Authorization: Bearer`. */
  key?: string
}

interface BoardClientFlags {
  boardUrl?: string | undefined
  key?: string | undefined
}

const DEFAULT_BOARD_URL = 'http://127.0.0.1:8766'

/**
 * Address and key of the board. The key is that of the flag, else `BOARD_API_KEY`, else the file that
 * `BOARD_API_KEY_FILE` names, else none.
 *
 * @throws AppError `configuration/settings_invalid`, with every problem
 *
 * Source: decisions on the board, section 5.
 */
export function readBoardClientSettings(flags: BoardClientFlags, sources: SettingSources): BoardClientSettings {
  const reader = new SettingReader(sources)
  const settings = readBoardClient(reader, flags)
  reader.finish()
  return settings
}

/** The same as part of a larger set that ends with `reader.finish()`. */
export function readBoardClient(reader: SettingReader, flags: BoardClientFlags): BoardClientSettings {
  const given = { flag: '--board-url', value: flags.boardUrl }
  const boardUrl = reader.text('BOARD_API_URL', acceptApiUrl, API_URL_ALLOWED, given) ?? DEFAULT_BOARD_URL
  const key = readKey(reader, flags.key)
  return { boardUrl, ...(key === undefined ? {} : { key }) }
}

function readKey(reader: SettingReader, given: string | undefined): string | undefined {
  if (given !== undefined) return headerWord(reader, '--key', given)
  const key = readSecret(reader, 'BOARD_API_KEY', { both: 'refused' })
  return key === undefined ? undefined : headerWord(reader, 'BOARD_API_KEY', key)
}

const NAME = 'BOARD_EXECUTOR_TOKEN'

/**
 * The executor token that a command sends: the given one, else `BOARD_EXECUTOR_TOKEN`, else the file that
 * `BOARD_EXECUTOR_TOKEN_FILE` names, else none.
 *
 * @param given content of the file that a flag named
 * @throws AppError `configuration/settings_invalid`, with every problem
 */
export function readExecutorToken(
  given: { flag: string; text: string } | undefined,
  sources: SettingSources,
): string | undefined {
  const reader = new SettingReader(sources)
  const token = given ? given.text.trim() : readSecret(reader, NAME, { both: 'refused' })
  const word = token === undefined ? undefined : headerWord(reader, given?.flag ?? NAME, token)
  reader.finish()
  return word
}
