import { join } from 'node:path'
import { whyUnreadable } from '../model/files/regular-file.js'
import type { ChatAccount } from '../model/platforms/chat-account.js'
import { toSite } from '../model/platforms/site.js'
import { readSecret } from './reading/secret-setting.js'
import { type GivenFlag, SettingReader } from './reading/setting-reader.js'
import { readZuliprc, type Zuliprc, type ZuliprcValue } from './zuliprc.js'

export interface ChatFlags {
  chatUrl?: string | undefined
  chatEmail?: string | undefined
}

/** Returned by `readChatAccount` after a refusal; never used, because `reader.finish` throws. */
const NO_ACCOUNT: ChatAccount = { site: '', email: '', api_key: '' }

/** If any of these is set, captures are wanted. */
const WANTED = [
  ...['EVENT_CHAT_EMAIL', 'EVENT_CHAT_API_KEY', 'EVENT_CHAT_API_KEY_FILE'],
  ...['ZULIP_EMAIL', 'ZULIP_API_KEY', 'ZULIP_CONFIG'],
]

/** No colon: in the credentials that are sent, it separates the name from the key. */
const EMAIL = /^[^\s:\x00-\x1f]{1,254}$/u
const KEY = /^[\x21-\x7e]{1,512}$/

/**
 * The account for the chat platform's API: flags, `EVENT_CHAT_*`, else the configuration of the platform's own clients.
 * A key never comes from a flag, where other users of the machine could read it.
 *
 * Source: decisions, section 6.
 */
export function readChatAccount(reader: SettingReader, flags: ChatFlags = {}): ChatAccount {
  const explicitSite = readChatSite(reader, { flag: '--chat-url', value: flags.chatUrl })
  const explicitEmail = reader.find('EVENT_CHAT_EMAIL', { flag: '--chat-email', value: flags.chatEmail })
  const explicitKey = readSecret(reader, 'EVENT_CHAT_API_KEY', { both: 'refused' })
  const zuliprc = readZuliprc(reader)
  const ownSite = zuliprc.site && toSite(zuliprc.site.value)
  if (zuliprc.site && !explicitSite && !ownSite) reader.refuseValue(zuliprc.site, 'is not the address of a server')
  const site = explicitSite ?? ownSite
  const email = explicitEmail ?? zuliprc.email
  const apiKey = explicitKey ?? zuliprc.key?.value.trim()
  if (!site) missing(reader, ['EVENT_CHAT_URL', '--chat-url', zuliprc.site?.name], 'the address of the chat server')
  if (!email) missing(reader, ['EVENT_CHAT_EMAIL'], 'the address of the account or bot')
  if (!apiKey) missing(reader, ['EVENT_CHAT_API_KEY', 'EVENT_CHAT_API_KEY_FILE'], 'the API key of that account')
  if (!site || !email || !apiKey) return NO_ACCOUNT
  if (!KEY.test(apiKey))
    reader.refuse('EVENT_CHAT_API_KEY', 'The API key of the chat account is not one printable word.')
  if (!EMAIL.test(email.value.trim())) reader.refuseValue(email, 'is not the address of an account')
  // TLS trust is configured for one server and must not apply to another.
  const tls = ownSite === site ? readTls(reader, zuliprc) : undefined
  return { site, email: email.value.trim(), api_key: apiKey, ...(tls ? { tls } : {}) }
}

/** Whether an account is named, even if a part of it is missing. */
export function isChatConfigured(reader: SettingReader): boolean {
  if (WANTED.some(name => reader.find(name) !== undefined)) return true
  return ['a file', 'a broken link'].includes(reader.sources.kindOfPath(join(reader.sources.homedir, '.zuliprc')))
}

/** @param names the setting and its alternatives; some may have been refused already */
function missing(reader: SettingReader, names: readonly (string | undefined)[], what: string): void {
  const known = names.filter(name => name !== undefined)
  const [name = ''] = known
  if (!reader.hasRefused(known))
    reader.refuse(name, `${name} is not set. It is ${what}; a ~/.zuliprc can hold it as well.`)
}

function readTls(reader: SettingReader, { cert_bundle, client_cert, client_cert_key, insecure }: Zuliprc) {
  const tls: NonNullable<ChatAccount['tls']> = {}
  const [ca, cert, key] = [cert_bundle, client_cert, client_cert_key].map(file => file && readPem(reader, file))
  if (ca) tls.ca = ca
  if (cert) tls.cert = cert
  if (key) tls.key = key
  if (insecure && isYes(insecure.value)) tls.insecure = true
  return Object.keys(tls).length > 0 ? tls : undefined
}

function readPem(reader: SettingReader, { value, name }: ZuliprcValue): string | undefined {
  const path = reader.path(value)
  try {
    return reader.sources.readTextFile(path)
  } catch (error) {
    reader.refuse(name, `${name} "${path}" ${whyUnreadable(error).text}. Name a file that can be read.`)
    return undefined
  }
}

function isYes(value: string): boolean {
  return ['1', 'true', 'yes', 'on'].includes(value.trim().toLowerCase())
}

/**
 * The origin of the chat platform's server, such as `https://chat.example.org`. Its webhooks do not name it, and ids
 * are unique only per server. Webhook and capture must use the same origin, so both read it here, and if it is not set,
 * both use that of the platform's own clients: `findZulipSite`.
 *
 * @returns undefined when none is set
 */
export function readChatSite(reader: SettingReader, given?: GivenFlag): string | undefined {
  return reader.text('EVENT_CHAT_URL', toSite, 'is not the http or https address of a server', given)
}

/**
 * The origin of the chat platform's server in the configuration of the platform's own clients, for deliveries whose
 * server is not named elsewhere. Such a configuration may exist for other reasons, so it is never refused.
 */
export function findZulipSite(reader: SettingReader): string | undefined {
  const ofClients = new SettingReader(reader.sources)
  const { site } = readZuliprc(ofClients)
  const found = site && toSite(site.value)
  if (site && !found) ofClients.refuseValue(site, 'is not the address of a server')
  for (const { field, detail } of ofClients.problems) {
    // A shared environment that cannot be used is a problem of its own.
    if (!reader.hasRefused([field])) reader.warn(`${detail} EVENT_CHAT_URL takes its place.`)
  }
  return found
}
