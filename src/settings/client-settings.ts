import { readAdminToken } from './admin-token.js'
import { API_URL_ALLOWED, acceptApiUrl } from './api-url.js'
import { headerWord } from './secret-setting.js'
import { SettingReader } from './setting-reader.js'
import type { SettingSources } from './setting-sources.js'

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
  const given = { flag: '--api-url', value: flags.apiUrl }
  const apiUrl = reader.text('EVENT_API_URL', acceptApiUrl, API_URL_ALLOWED, given) ?? DEFAULT_API_URL
  const credential = readCredential(reader, flags)
  reader.finish()
  return { apiUrl, ...(credential ? { credential } : {}) }
}

function readCredential(reader: SettingReader, flags: ClientFlags): Credential | undefined {
  const token = reader.find('EVENT_API_TOKEN', { flag: '--token', value: flags.token })
  if (token) return { kind: 'token', secret: headerWord(reader, token.name, token.value) }
  const secret = readAdminToken(reader)
  return secret === undefined ? undefined : { kind: 'admin', secret }
}
