import { parseUrl } from '../../../model/parse-url.js'

/**
 * The address of the REST API of GitHub's own servers, by the address of their pages.
 *
 * @returns undefined for any other server
 *
 * Source: GitHub, "Using the REST API" with GitHub.com and with GitHub Enterprise Cloud with data residency (`ghe.com`).
 */
export function gitHubApiUrl(baseUrl: string): string | undefined {
  const { protocol, host = '' } = parseUrl(baseUrl) ?? {}
  if (protocol !== 'https:') return undefined
  if (host === 'github.com') return 'https://api.github.com'
  const [, enterprise] = /^([a-z0-9-]+)\.ghe\.com$/u.exec(host) ?? []
  return enterprise === undefined ? undefined : `https://api.${enterprise}.ghe.com`
}
