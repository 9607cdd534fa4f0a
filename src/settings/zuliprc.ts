import { join } from 'node:path'
import { whyUnreadable } from '../model/files/regular-file.js'
import { place, type SettingReader } from './reading/setting-reader.js'

/** The configuration of the platform's own clients, by member names of the file. */
export type Zuliprc = Partial<Record<ZuliprcName, ZuliprcValue>>

export interface ZuliprcValue {
  value: string
  /** Its name in an error. */
  name: string
}

type ZuliprcName = (typeof NAMES)[number]

const NAMES = ['email', 'key', 'site', 'client_cert', 'client_cert_key', 'cert_bundle', 'insecure'] as const

/** Variables that take precedence over members of the file. */
const VARIABLES: Record<ZuliprcName, string> = {
  email: 'ZULIP_EMAIL',
  key: 'ZULIP_API_KEY',
  site: 'ZULIP_SITE',
  client_cert: 'ZULIP_CERT',
  client_cert_key: 'ZULIP_CERT_KEY',
  cert_bundle: 'ZULIP_CERT_BUNDLE',
  insecure: 'ZULIP_ALLOW_INSECURE',
}

const MAX_CHARACTERS = 64 * 1024

/**
 * The configuration of the platform's other clients: its variables, else the file named by `ZULIP_CONFIG`, else
 * `~/.zuliprc`. The default file may be missing.
 *
 * Source: the platform's notes, section 2.5.
 */
export function readZuliprc(reader: SettingReader): Zuliprc {
  const { path, text } = readFile(reader)
  const members = readApiSection(text)
  const found: Zuliprc = {}
  for (const name of NAMES) {
    const variable = VARIABLES[name]
    const fromProcess = reader.sources.env[variable]
    const fromFile = members.get(name)
    if (fromProcess) found[name] = { value: fromProcess, name: variable }
    else if (fromFile) found[name] = { value: fromFile, name: `${name} in ${path}` }
  }
  return found
}

function readFile(reader: SettingReader): { path: string; text: string } {
  const named = reader.find('ZULIP_CONFIG')
  const path = named ? reader.path(named.value) : join(reader.sources.homedir, '.zuliprc')
  try {
    const text = reader.sources.readTextFile(path)
    if (text.length <= MAX_CHARACTERS) return { path, text }
    reader.refuse(path, `${path} is larger than 64 KiB, too large for the configuration of a client.`)
  } catch (error) {
    const { missing, text } = whyUnreadable(error)
    const what = named ? `ZULIP_CONFIG "${path}"${place(named)}` : path
    if (named || !missing)
      reader.refuse(named ? 'ZULIP_CONFIG' : path, `${what} ${text}. Name a file that can be read.`)
  }
  return { path, text: '' }
}

const SECTION = /^\[([^\]]*)\]$/
const MEMBER = /^([^=:]+)[=:](.*)$/

/** Parses the section `[api]` of an INI file. Unparsable text is never shown: it may be a key. */
function readApiSection(text: string): Map<string, string> {
  const members = new Map<string, string>()
  let section = ''
  for (const line of text.replace(/^\ufeff/, '').split(/\r?\n/)) {
    const trimmed = line.trim()
    if (trimmed === '' || /^[#;]/.test(trimmed)) continue
    const [, opened] = SECTION.exec(trimmed) ?? []
    const [, name, value] = MEMBER.exec(trimmed) ?? []
    if (opened !== undefined) section = opened.trim()
    else if (section === 'api' && name !== undefined && value !== undefined)
      members.set(name.trim().toLowerCase(), value.trim())
  }
  return members
}
