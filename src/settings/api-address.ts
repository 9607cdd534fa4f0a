import { parseUrl } from '../model/parse-url.js'
import { trimEndOf } from '../model/trim.js'

/** Follows the value in the refusal of an address. */
export const API_URL_ALLOWED = 'is not an http or https address without user name, query and fragment'

/** The base address of an API, without trailing slash. May have a path. */
export function acceptApiUrl(text: string): string | undefined {
  const url = parseUrl(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined
  if (url.username || url.password || url.search || url.hash) return undefined
  return trimEndOf(`${url.origin}${url.pathname}`, '/')
}
