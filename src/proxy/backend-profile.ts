import { resolve } from 'node:path'
import { trimEndOf } from '../model/trim.js'
import { PROFILE_NAME } from './proxy-path.js'

/** Where another board is, taken apart: no address is ever put together from what a caller sent. */
export interface BackendProfile {
  name: string
  /** As people know it: origin and path, without a slash at its end. */
  url: string
  secure: boolean
  /** A name or an address, IPv6 without its brackets. */
  host: string
  port: number
  /** As in a `Host` header. */
  authority: string
  /** In front of its `/api/`: empty, or `/x`. */
  pathPrefix: string
  /** Absolute; absent for a board that asks for no key. */
  keyFile?: string
}

/** A file of profiles as it was read. */
export interface BackendProfiles {
  usable: ReadonlyMap<string, BackendProfile>
  /** Why a profile cannot be used, as a sentence, by its name as far as that can be shown. */
  refused: ReadonlyMap<string, string>
}

const MAX_PROFILES = 200
const LONGEST_URL = 2048
const MEMBERS: readonly string[] = ['url', 'api_key_file']

/**
 * Reads `{"profiles":{"<name>":{"url":"https://…","api_key_file":"…"}}}`. What is not understood is never passed over:
 * a member that was misspelled may be the one that holds the key.
 *
 * @param text of the file
 * @param folder that relative key files are seen from
 * @returns a sentence where none of it can be used. Sentences repeat nothing of the file but well-formed names.
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
  if (entries.size > MAX_PROFILES) return `It holds more than ${MAX_PROFILES} profiles.`
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
  // An empty query or fragment leaves no trace in a parsed address, and blanks and backslashes are mended in silence.
  if (typeof value !== 'string' || value.length > LONGEST_URL || !/^https?:\/\/[!-~]+$/i.test(value)) return undefined
  if (/[?#@\\]/.test(value) || !URL.canParse(value)) return undefined
  return new URL(value)
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
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? new Map(Object.entries(value)) : undefined
}
