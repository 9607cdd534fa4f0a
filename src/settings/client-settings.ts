import { join } from 'node:path'
import { readHome } from './database-setting.js'
import { readDefaultSecretFile, readSecret } from './secret-setting.js'
import { SettingReader } from './setting-reader.js'
import type { SettingSources } from './setting-sources.js'

/** What a request shows to say who sends it. */
export type Credential =
  /** Sent as `Authorization: Bearer`. */
  | { kind: 'token'; secret: string }
  /** Sent as `X-Event-Admin-Token`. */
  | { kind: 'admin'; secret: string }

export interface ClientSettings {
  /** The ledger's base address, without a slash at its end. May have a path. */
  apiUrl: string
  credential?: Credential
}

export interface ClientFlags {
  apiUrl?: string | undefined
  token?: string | undefined
}

const DEFAULT_API_URL = 'http://127.0.0.1:8765'
/** What may stand in a header, without blanks. */
const HEADER_WORD = /^[\x21-\x7e]{1,512}$/

/**
 * How to reach the ledger, and as whom: an API token, else the admin token by its precedence (`EVENT_ADMIN_TOKEN`, the
 * file named by `EVENT_ADMIN_TOKEN_FILE`, `<home>/event/secrets/admin-token`), else nobody.
 *
 * @throws AppError `configuration/settings_invalid`, with every problem at once
 *
 * Source: Event Ledger Service, "Command-line client" and "Authentication", rule 10.
 */
export function readClientSettings(flags: ClientFlags, sources: SettingSources): ClientSettings {
  const reader = new SettingReader(sources)
  const given = { flag: '--api-url', value: flags.apiUrl }
  const allowed = 'is not an http or https address without user name, query and fragment'
  const apiUrl = reader.text('EVENT_API_URL', acceptApiUrl, allowed, given) ?? DEFAULT_API_URL
  const credential = readCredential(reader, flags)
  reader.finish()
  return { apiUrl, ...(credential ? { credential } : {}) }
}

function readCredential(reader: SettingReader, flags: ClientFlags): Credential | undefined {
  const token = reader.find('EVENT_API_TOKEN', { flag: '--token', value: flags.token })
  if (token) return { kind: 'token', secret: headerWord(reader, token.name, token.value) }
  const secret =
    readSecret(reader, 'EVENT_ADMIN_TOKEN', { both: 'value wins' }) ??
    (isNamed(reader) ? undefined : readDefaultAdminToken(reader))
  return secret === undefined ? undefined : { kind: 'admin', secret: headerWord(reader, 'EVENT_ADMIN_TOKEN', secret) }
}

/** Whoever names a token never means the one in the default file. */
function isNamed(reader: SettingReader): boolean {
  return reader.find('EVENT_ADMIN_TOKEN') !== undefined || reader.find('EVENT_ADMIN_TOKEN_FILE') !== undefined
}

function readDefaultAdminToken(reader: SettingReader): string | undefined {
  return readDefaultSecretFile(reader, 'admin token file', join(readHome(reader), 'event', 'secrets', 'admin-token'))
}

function headerWord(reader: SettingReader, name: string, secret: string): string {
  if (!HEADER_WORD.test(secret)) reader.refuse(name, `${name} is not one word of up to 512 printable ASCII characters.`)
  return secret
}

function acceptApiUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined
  if (url.username || url.password || url.search || url.hash) return undefined
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}
