import { parseUrl } from '../model/parse-url.js'
import { type HistoryAccount, REST_SOURCES, type RestAccount, type RestSource } from '../model/platforms/history.js'
import { type PlatformSource, settingSuffix } from '../model/platforms/platform-source.js'
import { readChatAccount } from './chat-account.js'
import { isUnencrypted } from './listen-settings.js'
import { type LocalFlags, type LocalSettings, readLocal } from './local-settings.js'
import { headerWord, readSecret } from './reading/secret-setting.js'
import { SettingReader } from './reading/setting-reader.js'
import type { SettingSources } from './reading/setting-sources.js'

const DEFAULT_URLS: Readonly<Partial<Record<PlatformSource, string>>> = {
  code_a: 'https://github.com',
  code_b: 'https://gitlab.com',
}
const DEFAULT_USERNAME = 'system'
const MAX_CHARACTERS = 300
const ADDRESS = /^https?:\/\/[^\s/\\?#@]+(?:\/[^\s\\?#]*)?$/iu

/** Settings for reading the history of a place: the ledger, and the platform. */
interface HistorySettings extends LocalSettings {
  account: HistoryAccount
}

interface HistoryFlags extends LocalFlags {
  url?: string | undefined
}

/**
 * @param named the address in the target, if it has one
 * @throws AppError `configuration/settings_invalid`, with every problem
 */
export function readHistorySettings(
  source: PlatformSource,
  flags: HistoryFlags & { named?: string | undefined },
  sources: SettingSources,
): HistorySettings {
  const reader = new SettingReader(sources)
  const local = readLocal(reader, flags)
  const account = source === 'chat' ? readChat(reader, flags.url) : readAccount(reader, source, flags)
  reader.finish()
  return { ...local, account }
}

/** The accounts of the platforms for which an address or a token is set. These may be polled. */
export function readRestAccounts(reader: SettingReader): RestAccount[] {
  const isSet = (source: RestSource) =>
    [`URL_${settingSuffix(source)}`, `TOKEN_${settingSuffix(source)}`, `TOKEN_${settingSuffix(source)}_FILE`].some(
      name => reader.findEvenEmpty(`EVENT_HISTORY_${name}`) !== undefined,
    )
  return REST_SOURCES.filter(isSet).map(source => readAccount(reader, source, {}))
}

/** The chat account of captures. */
function readChat(reader: SettingReader, url: string | undefined): HistoryAccount {
  const { site, email, api_key, tls } = readChatAccount(reader, { chatUrl: url })
  return { source: 'chat', baseUrl: site, token: api_key, username: email, ...(tls === undefined ? {} : { tls }) }
}

function readAccount(
  reader: SettingReader,
  source: RestSource,
  flags: { url?: string | undefined; named?: string | undefined },
): RestAccount {
  const name = `EVENT_HISTORY_URL_${settingSuffix(source)}`
  const ownUrl = reader.text(name, toBaseUrl, 'is not the http or https address of a server') ?? DEFAULT_URLS[source]
  const wanted = flags.url ?? flags.named
  const given =
    wanted === undefined
      ? undefined
      : reader.text(name, toBaseUrl, 'is not the http or https address of a server', { flag: '--url', value: wanted })
  const baseUrl = given ?? ownUrl
  if (baseUrl === undefined && !reader.hasRefused([name, '--url'])) {
    reader.refuse(name, `${name} is not set. It is the address of the platform; --url names it as well.`)
  }
  const tokenName = `EVENT_HISTORY_TOKEN_${settingSuffix(source)}`
  const secret = readSecret(reader, tokenName, { both: 'refused' })
  const token = secret === undefined ? undefined : headerWord(reader, tokenName, secret)
  const username = source === 'forum' ? readUsername(reader) : undefined
  if (baseUrl !== undefined && token !== undefined && isUnencrypted(baseUrl)) {
    reader.warn(`${baseUrl} is an address without TLS: the token can be read on its way.`)
  }
  // A token is for one server, and must not be sent to another.
  const isOwn = given === undefined || given === ownUrl || flags.url !== undefined
  return {
    source,
    baseUrl: baseUrl ?? '',
    ...(token === undefined || !isOwn ? {} : { token }),
    ...(username === undefined ? {} : { username }),
  }
}

function readUsername(reader: SettingReader): string {
  const accept = (text: string) => (/^[\x21-\x7e]{1,254}$/u.test(text) ? text : undefined)
  return reader.text('EVENT_HISTORY_USERNAME_FORUM', accept, 'is not the name of an account') ?? DEFAULT_USERNAME
}

/** Other addresses of GitHub. A token for one of them is a token for all. */
const GITHUB_ALIASES = ['https://api.github.com', 'https://www.github.com']
/** Source: GitHub, Enterprise Cloud with data residency. */
const GITHUB_ENTERPRISE_API = /^https:\/\/api\.([a-z0-9-]+\.ghe\.com)$/u

/** The address without a trailing slash. A platform may be installed below a path. */
function toBaseUrl(text: string): string | undefined {
  const trimmed = text.trim()
  const url = trimmed.length <= MAX_CHARACTERS && ADDRESS.test(trimmed) ? parseUrl(trimmed) : undefined
  if (!url) return undefined
  if (GITHUB_ALIASES.includes(url.origin)) return DEFAULT_URLS.code_a
  const [, enterprise] = GITHUB_ENTERPRISE_API.exec(url.origin) ?? []
  return enterprise === undefined ? `${url.origin}${url.pathname.replace(/\/$/u, '')}` : `https://${enterprise}`
}
