import type { ShownCredentials } from '../../accounts/identity.js'
import { readCookie } from '../../login/cookies.js'
import type { HttpRequest } from '../http/route.js'

/** The scheme's name is case-insensitive; one word follows. Source: RFC 9110, section 11.4. */
const BEARER = /^bearer +(?<token>[\x21-\x7e]+)$/i

/** The credentials in a request. Schemes other than `Bearer` are ignored. */
export function readCredentials({ headers }: Pick<HttpRequest, 'headers'>, cookieName: string): ShownCredentials {
  const adminToken = headers['x-event-admin-token']
  return {
    bearer: readBearer(headers.authorization),
    adminToken: typeof adminToken === 'string' ? adminToken : undefined,
    session: readCookie(headers.cookie, cookieName) || undefined,
  }
}

/** The token of an `Authorization` header. */
export function readBearer(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : BEARER.exec(authorization)?.groups?.token
}
