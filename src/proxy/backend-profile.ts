import { resolve } from 'node:path'
import { isObject } from '../model/json-object.js'
import { parseUrl } from '../model/parse-url.js'
import { trimEndOf } from '../model/trim.js'
import { PROFILE_NAME } from './proxy-path.js'

/** The parsed address of another board: no address is ever assembled from a caller's input. */
export interface BackendProfile {
  name: string
  /** As in the file: origin and path, without a slash at the end. */
  url: string
  secure: boolean
  /** A name or an address, IPv6 without its brackets. */
  host: string
  port: number
  /** The value of the `Host` header. */
  authority: string
  /** In front of its `/api/`: empty, or `/x`. */
  pathPrefix: string
  /** Absolute; absent for a board that requires no key. */
  keyFile?: string
}

/** The content of a file of profiles. */
export interface BackendProfiles {
  usable: ReadonlyMap<string, BackendProfile>
  /** Name (`?` if it is malformed) → why the profile cannot be used, as a sentence. */
  refused: ReadonlyMap<string, string>
}

const MAX_PROFILES = 200
const LONGEST_URL = 2048
const MEMBERS: readonly string[] = ['url', 'api_key_file']

/**
 * Reads `{"profiles":{"<name>":{"url":"https://…","api_key_file":"…"}}}`. Unknown members are refused: a misspelled one may
 * be the one that names the key.
 *
 * @param text of the file
 * @param folder relative paths of key files start here
 * @returns a sentence if the whole file is unusable. Sentences repeat nothing of the file except well-formed names.
 *
 * Source: decisions on the board, section 8.
 */
export function readBackendProfiles(text: string, folder: string): BackendProfiles | string {
  const value = parse(text)
  if (value === undefined) return 'It is not JSON.'
  const profiles = membersOf(value)?.get('profiles')
  if (membersOf(value)?.size !== 1) return 'It must be an object with the one member "profiles".'
  const entries = membersOf(profiles)
  if (!entries) return '"profiles" must be an object.'
  if (entries.size > MAX_PROFILES) return `It has more than ${MAX_PROFILES} profiles.`
  const usable = new Map<string, BackendProfile>()
  const refused = new Map<string, string>()
  for (const [name, profile] of entries) {
    if (!PROFILE_NAME.test(name)) {
      refused.set('?', 'A name must be 1 to 64 letters, digits, "-" and "_", and begin with a letter or digit.')
      continue
    }
    const read = readProfile(name, profile, folder)
    if (typeof read === 'string') refused.set(name, read)
    else usable.set(name, read)
  }
  return { usable, refused }
}

function readProfile(name: string, value: unknown, folder: string): BackendProfile | string {
  const members = membersOf(value)
  if (!members) return 'It must be an object.'
  if ([...members.keys()].some(member => !MEMBERS.includes(member))) {
    return 'It has a member other than "url" and "api_key_file".'
  }
  const url = readUrl(members.get('url'))
  if (!url) return '"url" must be an http or https address without user, query and fragment.'
  const keyFile = members.get('api_key_file')
  if (keyFile !== undefined && !isPath(keyFile)) return '"api_key_file" must be the path of a file.'
  const secure = url.protocol === 'https:'
  const pathPrefix = trimEndOf(url.pathname, '/')
  return {
    name,
    url: url.origin + pathPrefix,
    secure,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || (secure ? 443 : 80)),
    authority: url.host,
    pathPrefix,
    ...(keyFile === undefined ? {} : { keyFile: resolve(folder, keyFile) }),
  }
}

function readUrl(value: unknown): URL | undefined {
  // A parsed address does not show an empty query or fragment, and the parser silently repairs blanks and backslashes.
  if (typeof value !== 'string' || value.length > LONGEST_URL || !/^https?:\/\/[!-~]+$/i.test(value)) return undefined
  return /[?#@\\]/.test(value) ? undefined : parseUrl(value)
}

function isPath(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !value.includes('\0')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function membersOf(value: unknown): Map<string, unknown> | undefined {
  return isObject(value) ? new Map(Object.entries(value)) : undefined
}
