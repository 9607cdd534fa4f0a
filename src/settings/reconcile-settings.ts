import { createPrivateKey } from 'node:crypto'
import { hookExample, isAppHook, readHookUrl } from '../model/platforms/hook-address.js'
import { settingSuffix } from '../model/platforms/platform-source.js'
import {
  type AppAccount,
  type ListedHook,
  type ListingSource,
  RECONCILE_LIMITS,
  SOURCES_WITH_DELIVERY_LIST,
} from '../model/platforms/reconciliation.js'
import { isUnencrypted } from './listen-settings.js'
import { type LocalFlags, type LocalSettings, readLocal } from './local-settings.js'
import { headerWord, readSecret } from './reading/secret-setting.js'
import { SettingReader } from './reading/setting-reader.js'
import type { SettingSources } from './reading/setting-sources.js'

const DEFAULT_USERNAME = 'system'
const APP = 'EVENT_RECONCILE_APP_CODE_A'
const APP_KEY = 'EVENT_RECONCILE_APP_KEY_CODE_A'

/** Settings of a comparison of deliveries: the ledger, and hooks with tokens that may read their lists. */
interface ReconcileSettings extends LocalSettings {
  hooks: ListedHook[]
}

/** @throws AppError `configuration/settings_invalid`, with every problem */
export function readReconcileSettings(
  wanted: ListingSource | 'all',
  flags: LocalFlags,
  sources: SettingSources,
): ReconcileSettings {
  const reader = new SettingReader(sources)
  const settings = { ...readLocal(reader, flags), hooks: readListedHooks(reader, wanted) }
  reader.finish()
  return settings
}

/** The hooks of one source, or of all sources; at least one. */
export function readListedHooks(reader: SettingReader, wanted: ListingSource | 'all'): ListedHook[] {
  const chosen = SOURCES_WITH_DELIVERY_LIST.filter(source => wanted === 'all' || source === wanted)
  const before = reader.problems.length
  const hooks = chosen.flatMap(source => readHooks(reader, source))
  if (hooks.length === 0 && reader.problems.length === before) {
    const names = chosen.map(source => `EVENT_RECONCILE_HOOKS_${settingSuffix(source)}`)
    const [name = ''] = names
    const example = hookExample(chosen[0] ?? 'code_a')
    reader.refuse(name, `${names.join(', ')}: no hook is set. Name one by its address in the API, such as ${example}.`)
  }
  return hooks
}

function readHooks(reader: SettingReader, source: ListingSource): ListedHook[] {
  const name = `EVENT_RECONCILE_HOOKS_${settingSuffix(source)}`
  const tokenName = `EVENT_RECONCILE_TOKEN_${settingSuffix(source)}`
  const found = reader.find(name)
  const token = readSecret(reader, tokenName, { both: 'refused' })
  const username = source === 'forum' ? readUsername(reader) : undefined
  const app = source === 'code_a' ? readApp(reader) : {}
  if (!found) return []
  const texts = [...new Set(found.value.split(/[\s,]+/u).filter(text => text !== ''))]
  const urls = texts.map(text => readHookUrl(source, text))
  if (urls.length > RECONCILE_LIMITS.hooks || urls.includes(undefined)) {
    reader.refuse(
      name,
      `${name} is not a list of at most ${RECONCILE_LIMITS.hooks} addresses of hooks, such as ${hookExample(source)}.`,
    )
    return []
  }
  const known = urls.filter(url => url !== undefined)
  if (known.some(isUnencrypted)) reader.warn(`${name} has an address without TLS: the token can be read on its way.`)
  const apps = source === 'code_a' ? known.filter(isAppHook) : []
  const others = known.filter(url => !apps.includes(url))
  return [
    ...withToken(reader, others, { name: tokenName, token }).map(({ url, word }) => {
      return { source, url, token: word, ...(username === undefined ? {} : { username }) }
    }),
    ...withApp(reader, apps, { name, app }).map(account => ({ source, ...account })),
  ]
}

function withToken(
  reader: SettingReader,
  urls: readonly string[],
  { name, token }: { name: string; token: string | undefined },
): { url: string; word: string }[] {
  if (urls.length === 0) return []
  if (token === undefined) {
    if (!reader.hasRefused([name, `${name}_FILE`]))
      reader.refuse(name, `${name} is not set. It is the token that may read the deliveries of the hooks.`)
    return []
  }
  const word = headerWord(reader, name, token)
  return urls.map(url => ({ url, word }))
}

function readApp(reader: SettingReader): Partial<AppAccount> {
  const toId = (text: string) => (/^[\w.-]{1,64}$/u.test(text) ? text : undefined)
  const id = reader.text(APP, toId, 'is not the id of a GitHub App')
  const key = readSecret(reader, APP_KEY, { both: 'refused' })
  if (key !== undefined && !isRsaKey(key)) reader.refuse(APP_KEY, `${APP_KEY} is not an RSA private key in PEM.`)
  return { ...(id === undefined ? {} : { id }), ...(key === undefined ? {} : { key }) }
}

/** The private key belongs to one app, so its tokens are sent to one server. */
function withApp(
  reader: SettingReader,
  urls: readonly string[],
  { name, app: { id, key } }: { name: string; app: Partial<AppAccount> },
): { url: string; app: AppAccount }[] {
  const [url, another] = urls
  if (url === undefined) return []
  if (another !== undefined) reader.refuse(name, `${name} has more than one webhook of a GitHub App.`)
  if (id === undefined && !reader.hasRefused([APP]))
    reader.refuse(APP, `${APP} is not set. It is the App ID or client ID of the GitHub App whose hook is named.`)
  if (key === undefined && !reader.hasRefused([APP_KEY, `${APP_KEY}_FILE`]))
    reader.refuse(APP_KEY, `${APP_KEY}_FILE is not set. It names the file with the private key of the GitHub App.`)
  return id === undefined || key === undefined ? [] : [{ url, app: { id, key } }]
}

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa'
  } catch (error) {
    // The error names a part of the key. The caller reports the requirements of the setting instead.
    if (error instanceof Error) return false
    throw error
  }
}

function readUsername(reader: SettingReader): string {
  const accept = (text: string) => (/^[\x21-\x7e]{1,254}$/u.test(text) ? text : undefined)
  return reader.text('EVENT_RECONCILE_USERNAME_FORUM', accept, 'is not the name of an account') ?? DEFAULT_USERNAME
}
