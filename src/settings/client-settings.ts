import { trimEndOf } from '../model/trim.js'
import { readAdminToken } from './admin-token.js'
import { headerWord, readSecret } from './reading/secret-setting.js'
import { SettingReader } from './reading/setting-reader.js'
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
}

const DEFAULT_API_URL = 'http://127.0.0.1:8765'

/**
 * Address of the ledger and the credential: an API token, else the admin token by its precedence, else none.
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
  const given = { flag: '--api-url', value: flags.apiUrl }
  const apiUrl = reader.text('EVENT_API_URL', acceptApiUrl, API_URL_ALLOWED, given) ?? DEFAULT_API_URL
  const credential = readCredential(reader, flags)
  return { apiUrl, ...(credential ? { credential } : {}) }
}

function readCredential(reader: SettingReader, flags: ClientFlags): Credential | undefined {
  const token = reader.find('EVENT_API_TOKEN', { flag: '--token', value: flags.token })
  if (token) return { kind: 'token', secret: headerWord(reader, token.name, token.value) }
  const secret = readAdminToken(reader)
  return secret === undefined ? undefined : { kind: 'admin', secret }
}

export interface BoardClientSettings {
  /** The board's base address, without trailing slash. May have a path. */
  boardUrl: string
  /** Sent as `Authorization: Bearer`. */
  key?: string
}

export interface BoardClientFlags {
  boardUrl?: string | undefined
  key?: string | undefined
}

const DEFAULT_BOARD_URL = 'http://127.0.0.1:8766'

/**
 * Address and key of the board: the key of the flag, else `BOARD_API_KEY` or the file that `BOARD_API_KEY_FILE` names,
 * else none.
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

/** Completes "is not" in the refusal of an address. */
export const API_URL_ALLOWED = 'is not an http or https address without user name, query and fragment'

/** The base address of an API, without trailing slash. May have a path. */
export function acceptApiUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined
  if (url.username || url.password || url.search || url.hash) return undefined
  return trimEndOf(`${url.origin}${url.pathname}`, '/')
}

const NAME = 'BOARD_EXECUTOR_TOKEN'

/**
 * The executor's token that a command sends: the given one, else `BOARD_EXECUTOR_TOKEN` or the file that
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
