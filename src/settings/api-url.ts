/** What a refused address `is not`. */
export const API_URL_ALLOWED = 'is not an http or https address without user name, query and fragment'

/** The base address of an API, without a slash at its end. May have a path. */
export function acceptApiUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined
  if (url.username || url.password || url.search || url.hash) return undefined
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}
