import { join } from 'node:path'
import { whyUnreadable } from '../model/files/regular-file.js'
import { isObject } from '../model/json-object.js'
import { API_URL_ALLOWED, acceptApiUrl } from './api-address.js'
import { readHome } from './home-folder.js'
import { headerWord, readGivenSecretFile } from './reading/secret-setting.js'
import { SettingReader } from './reading/setting-reader.js'
import type { SettingSources } from './reading/setting-sources.js'

/** A ledger that `daybook login` stored: its address, and a token for it. */
export interface Profile {
  /** Without trailing slash. */
  api_url: string
  token: string
  /** Present if the login issued the token, so that the logout can revoke it. */
  token_id?: string
  username?: string
}

/** The content of the file. */
export interface Profiles {
  /** The profile that is used if none is named. */
  default?: string
  profiles: Record<string, Profile>
}

export interface ProfilesFile extends Profiles {
  path: string
}

export interface ChosenProfile extends Profile {
  name: string
  /** Whether a flag names it. It then takes precedence over variables. */
  isNamedByFlag: boolean
}

const DEFAULT_PROFILE = 'default'
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const NAMED = 'DAYBOOK_PROFILE'

/** Completes "is not" in a refusal. */
const NAME_ALLOWED = 'is not a name of up to 64 letters, digits and . _ -'

/** The name of a profile, from the flag or `DAYBOOK_PROFILE`. */
function readProfileName(reader: SettingReader, flag: string | undefined): string | undefined {
  const given = { flag: '--profile', value: flag }
  return reader.text(NAMED, text => (NAME.test(text) ? text : undefined), NAME_ALLOWED, given)
}

/**
 * The profiles of this user, in `profiles.json` in the home folder. Without the file there are none. A file that others
 * can read or change is refused: it contains tokens, and the address that a token is sent to.
 */
export function readProfiles(reader: SettingReader): ProfilesFile {
  const path = join(readHome(reader), 'profiles.json')
  let text: string
  try {
    text = reader.sources.readTextFile(path)
  } catch (error) {
    const reason = whyUnreadable(error)
    if (!reason.missing) reader.refuse('profiles', `The file of profiles "${path}" ${reason.text}.`)
    return { path, profiles: {} }
  }
  if (reader.sources.isOpenToOthers(path)) {
    reader.refuse('profiles', `Other users can read or change "${path}", which has tokens. Run "chmod 600" on it.`)
    return { path, profiles: {} }
  }
  const content = toProfiles(text)
  if (!content) reader.refuse('profiles', `"${path}" is not a file of profiles. Remove it, and run "daybook login".`)
  return { path, ...(content ?? { profiles: {} }) }
}

/** Settings that `daybook login` and `daybook logout` start with. */
export interface LoginSettings {
  file: ProfilesFile
  /** Name of the profile to create or remove. */
  name: string
  profile?: Profile
  /** The address from a flag or a variable. */
  apiUrl?: string
  /** The token in the file that a flag names. */
  token?: string
}

interface LoginFlags {
  profile?: string | undefined
  apiUrl?: string | undefined
  tokenFile?: string | undefined
}

/** @throws AppError `configuration/settings_invalid`, with every problem */
export function readLoginSettings(flags: LoginFlags, sources: SettingSources): LoginSettings {
  const reader = new SettingReader(sources)
  const file = readProfiles(reader)
  const name = readProfileName(reader, flags.profile) ?? file.default ?? DEFAULT_PROFILE
  const profile = Object.hasOwn(file.profiles, name) ? file.profiles[name] : undefined
  const given = { flag: '--api-url', value: flags.apiUrl }
  const apiUrl = reader.text('EVENT_API_URL', acceptApiUrl, API_URL_ALLOWED, given)
  const { tokenFile } = flags
  const secret =
    tokenFile === undefined ? undefined : readGivenSecretFile(reader, { name: '--token-file', value: tokenFile })
  const token = secret === undefined ? undefined : headerWord(reader, '--token-file', secret)
  reader.finish()
  return {
    file,
    name,
    ...(profile ? { profile } : {}),
    ...(apiUrl === undefined ? {} : { apiUrl }),
    ...(token === undefined ? {} : { token }),
  }
}

/** The profile that a flag or `DAYBOOK_PROFILE` names, else the default one if there is one. */
export function findProfile(reader: SettingReader, flag: string | undefined): ChosenProfile | undefined {
  const named = readProfileName(reader, flag)
  const file = readProfiles(reader)
  const name = named ?? file.default
  if (name === undefined) return undefined
  const profile = Object.hasOwn(file.profiles, name) ? file.profiles[name] : undefined
  if (profile) return { ...profile, name, isNamedByFlag: flag !== undefined }
  if (named !== undefined && !reader.hasRefused(['profiles'])) {
    const setting = flag === undefined ? NAMED : '--profile'
    reader.refuse(setting, `${setting}: there is no profile "${name}". "daybook login --profile ${name}" makes it.`)
  }
  return undefined
}

function toProfiles(text: string): Profiles | undefined {
  try {
    const content: unknown = JSON.parse(text)
    return isProfiles(content) ? content : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function isProfiles(value: unknown): value is Profiles {
  if (!isObject(value) || !isObject(value.profiles)) return false
  return isTextOrAbsent(value.default) && Object.values(value.profiles).every(isProfile)
}

function isProfile(value: unknown): value is Profile {
  if (!isObject(value) || typeof value.api_url !== 'string' || typeof value.token !== 'string') return false
  return isTextOrAbsent(value.token_id) && isTextOrAbsent(value.username)
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}
