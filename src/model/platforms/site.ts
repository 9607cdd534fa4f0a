import { parseUrl } from '../parse-url.js'

const MAX_CHARACTERS = 300
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//iu
/** The URL parser is too lenient: it drops line breaks, and accepts any number of slashes. */
const ADDRESS = /^https?:\/\/[^\s/\\?#@]+(?:\/[^\s\\]*)?$/iu

/**
 * The origin of a platform's server, such as `https://chat.example.org`, from the usual spellings: without a scheme,
 * with a trailing slash, with the path of its API (`/api`, `/api/v1`).
 *
 * @returns undefined if it is not the http or https address of a whole server
 */
export function toSite(text: string): string | undefined {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.length > MAX_CHARACTERS) return undefined
  const address = SCHEME.test(trimmed) ? trimmed : `https://${trimmed}`
  const url = ADDRESS.test(address) ? parseUrl(address) : undefined
  if (!url || url.search || url.hash) return undefined
  return /^\/(?:api(?:\/v1)?\/?)?$/u.test(url.pathname) ? url.origin : undefined
}
