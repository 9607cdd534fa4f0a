import type { ShownCredentials } from '../../accounts/identity.js'
import { readCookie } from '../../login/cookies.js'
import type { HttpRequest } from '../http/route.js'

/** The scheme's name has no case; what follows is one word. Source: RFC 9110, section 11.4. */
const BEARER = /^bearer +(?<token>[\x21-\x7e]+)$/i

/** What a request shows to say who sends it. Another scheme than `Bearer` is nothing that we know. */
export function readShownCredentials({ headers }: Pick<HttpRequest, 'headers'>, cookieName: string): ShownCredentials {
  const bearer = readBearer(headers.authorization)
  const adminToken = headers['x-event-admin-token']
  const session = readCookie(headers.cookie, cookieName)
  return {
    ...(bearer ? { bearer } : {}),
    ...(typeof adminToken === 'string' ? { adminToken } : {}),
    ...(session ? { session } : {}),
  }
}

/** The token of an `Authorization` header. */
export function readBearer(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : BEARER.exec(authorization)?.groups?.token
}
