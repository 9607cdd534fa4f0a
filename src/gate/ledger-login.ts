import { readCookie } from '../login/cookies.js'
import { SECRET_PATTERN } from '../login/new-secret.js'
import { csrfTokenOf } from './cookie-envelope.js'

/** A live session of the ledger that a browser also showed to the board. */
interface LedgerSession {
  username: string
  /** CSRF token of the board; the ledger's is unknown here. */
  csrfToken: string
}

/** @param cookies the whole `Cookie` header */
export type FindLedgerSession = (cookies: string | undefined) => Promise<LedgerSession | undefined>

interface LedgerLoginOptions {
  /** Sends the ledger `GET /api/session` with one cookie, `name=value`. @returns its answer, not validated */
  askLedger: (cookie: string) => Promise<unknown>
  /** Called when the ledger cannot be asked, once until it answers again. Never contains a cookie. */
  report: (error: unknown) => void
}

/** Names of the ledger's cookie: with the prefix if browsers send it over TLS only. */
const COOKIES = ['__Host-event_session', 'event_session']
const MAX_ASKED = 64

/**
 * Asks the ledger on each request whose session a cookie names. A logout, or the disabling or deletion of a user,
 * therefore takes effect with the next request. Any other answer, or none, counts as no session.
 *
 * Source: docs/decisions/0040.
 */
export function createLedgerLogin({ askLedger, report }: LedgerLoginOptions): FindLedgerSession {
  let asked = 0
  let isFailing = false
  const ask = async (cookie: string): Promise<string | undefined> => {
    if (asked >= MAX_ASKED) throw new Error(`${MAX_ASKED} requests to the ledger have no answer yet`)
    asked++
    try {
      return readUsername(await askLedger(cookie))
    } finally {
      asked--
    }
  }
  return async cookies => {
    const name = COOKIES.find(name => readCookie(cookies, name) !== undefined)
    const token = name && readCookie(cookies, name)
    if (token === undefined || !SECRET_PATTERN.test(token)) return undefined
    try {
      const username = await ask(`${name}=${token}`)
      isFailing = false
      return username === undefined ? undefined : { username, csrfToken: csrfTokenOf(token) }
    } catch (error) {
      if (!isFailing) report(error)
      isFailing = true
      return undefined
    }
  }
}

/** The user in an answer of `GET /api/session`; undefined unless it describes a browser session of a user. */
function readUsername(answer: unknown): string | undefined {
  const { authenticated, user, csrf_token } = Object(answer)
  const { username } = Object(user)
  const isSession = authenticated === true && typeof csrf_token === 'string'
  return isSession && typeof username === 'string' ? username : undefined
}
