import { hookExample, readHookUrl } from '../model/platforms/hook-address.js'
import {
  LISTING_SOURCES,
  type ListedHook,
  type ListingSource,
  RECONCILE_LIMITS,
} from '../model/platforms/reconciliation.js'
import { isLoopback } from './listen-settings.js'
import { type LocalFlags, type LocalSettings, readLocal } from './local-settings.js'
import { headerWord, readSecret } from './reading/secret-setting.js'
import { SettingReader } from './reading/setting-reader.js'
import type { SettingSources } from './reading/setting-sources.js'

/** The suffix of the settings of each source. */
const SUFFIX: Readonly<Record<ListingSource, string>> = { code_a: 'CODE_A', code_b: 'CODE_B', forum: 'FORUM' }
const DEFAULT_USERNAME = 'system'

/** What a comparison of deliveries needs: the ledger, and hooks with the tokens that may read their lists. */
export interface ReconcileSettings extends LocalSettings {
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
  const chosen = LISTING_SOURCES.filter(source => wanted === 'all' || source === wanted)
  const before = reader.problems.length
  const hooks = chosen.flatMap(source => readHooks(reader, source))
  if (hooks.length === 0 && reader.problems.length === before) {
    const names = chosen.map(source => `EVENT_RECONCILE_HOOKS_${SUFFIX[source]}`)
    const [name = ''] = names
    const example = hookExample(chosen[0] ?? 'code_a')
    reader.refuse(name, `${names.join(', ')}: no hook is set. Name one by its address in the API, such as ${example}.`)
  }
  return hooks
}

function readHooks(reader: SettingReader, source: ListingSource): ListedHook[] {
  const name = `EVENT_RECONCILE_HOOKS_${SUFFIX[source]}`
  const tokenName = `EVENT_RECONCILE_TOKEN_${SUFFIX[source]}`
  const found = reader.find(name)
  const token = readSecret(reader, tokenName, { both: 'refused' })
  const username = source === 'forum' ? readUsername(reader) : undefined
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
  if (token === undefined) {
    if (!reader.hasRefused([tokenName, `${tokenName}_FILE`]))
      reader.refuse(tokenName, `${tokenName} is not set. It is the token that may read the deliveries of the hooks.`)
    return []
  }
  const word = headerWord(reader, tokenName, token)
  const known = urls.filter(url => url !== undefined)
  if (known.some(isUnencrypted)) reader.warn(`${name} has an address without TLS: the token can be read on its way.`)
  return known.map(url => ({ source, url, token: word, ...(username === undefined ? {} : { username }) }))
}

function readUsername(reader: SettingReader): string {
  const accept = (text: string) => (/^[\x21-\x7e]{1,254}$/u.test(text) ? text : undefined)
  return reader.text('EVENT_RECONCILE_USERNAME_FORUM', accept, 'is not the name of an account') ?? DEFAULT_USERNAME
}

function isUnencrypted(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !isLoopback(hostname.replace(/^\[(.*)\]$/u, '$1'))
}
