import { AppError } from '../../model/app-error.js'
import type { FeedProof } from '../../model/sources/source-definition.js'

/** Headers that the feed reader or the connection sets. */
const TAKEN =
  /^(?:host|connection|keep-alive|content-.*|transfer-encoding|te|trailer|upgrade|expect|accept.*|user-agent|if-.*|range|proxy-.*)$/iu
const HEADER_VALUE = /^[\x20-\x7e]+$/u

/** Whether this header may contain the secret of a feed. */
export function isLoginHeader(name: string): boolean {
  return !TAKEN.test(name)
}

/**
 * Headers that prove the login of a feed to its server.
 *
 * @param secret undefined for a feed without a login
 * @returns headers
 * @throws AppError `forbidden/source_closed` for a secret that a header cannot contain
 *
 * Source: RFC 7617, RFC 6750.
 */
export function loginHeaders({ login }: FeedProof, secret: string | undefined): Readonly<Record<string, string>> {
  if (login === undefined || secret === undefined) return {}
  if (login.type === 'basic') {
    return { authorization: `Basic ${Buffer.from(`${login.username}:${secret}`).toString('base64')}` }
  }
  const { header, prefix = '' } = login
  const value = `${prefix}${secret}`
  if (!HEADER_VALUE.test(value)) {
    const message = 'The secret of this feed has characters that a header cannot have.'
    throw new AppError('forbidden', 'source_closed', message, { hint: 'Save the source with another one.' })
  }
  return { [header.toLowerCase()]: value }
}

/** The login, unless a redirect left the origin of the feed. @param visited the feed's address, then its redirects */
export function loginAfter(
  visited: readonly URL[],
  login: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return visited.every(({ origin }) => origin === visited[0]?.origin) ? login : {}
}
