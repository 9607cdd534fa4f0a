import { readCookie } from '../login/cookies.js'
import { SECRET_PATTERN } from '../login/new-secret.js'
import { AppError } from '../model/app-error.js'
import { csrfTokenOf } from './cookie-envelope.js'

/** A live session of the ledger that a browser also showed to the board. */
interface LedgerSession {
  username: string
  /** CSRF token of the board; the ledger's is unknown here. */
  csrfToken: string
}

/**
 * @param cookies the whole `Cookie` header
 * @throws AppError `unavailable/busy` if too many requests to the ledger have no answer yet
 */
export type FindLedgerSession = (cookies: string | undefined) => Promise<LedgerSession | undefined>

interface LedgerLoginOptions {
  /** Sends the ledger `GET /api/session` with one cookie, `name=value`. @returns its answer, not validated */
  askLedger: (cookie: string) => Promise<unknown>
  /** Called when the ledger cannot be asked, once until it answers again. Never contains a cookie. */
  report: (error: unknown) => void
}

/** Names of the ledger's cookie: with the prefix if browsers send it over TLS only. */
const COOKIES = ['__Host-event_session', 'event_session']
/** Requests without an answer: about cookies that lately named a session, and about all others. */
const MAX_ASKED = { known: 512, unknown: 64 }
const MOST_KNOWN = 1_000

/**
 * Asks the ledger on each request whose session a cookie names. A logout, or the disabling or deletion of a user,
 * therefore takes effect with the next request. Any other answer, or none, counts as no session.
 *
 * Anyone can send many invented cookies at the same time. These have places of their own among the requests to the
 * ledger, and beyond these the board answers that it is busy, because "not logged in" might be wrong.
 *
 * Source: docs/decisions/0040 and 0091.
 */
export function createLedgerLogin({ askLedger, report }: LedgerLoginOptions): FindLedgerSession {
  const asked = { known: 0, unknown: 0 }
  /** Cookies that named a session, the least recently asked first. */
  const known = new Set<string>()
  let isFailing = false
  const ask = async (cookie: string): Promise<string | undefined> => {
    const places = known.has(cookie) ? 'known' : 'unknown'
    if (asked[places] === MAX_ASKED[places]) throw busy()
    asked[places]++
    try {
      const username = readUsername(await askLedger(cookie))
      known.delete(cookie)
      if (username !== undefined) known.add(cookie)
      const [oldest] = known
      if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest)
      return username
    } finally {
      asked[places]--
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
      if (error instanceof AppError) throw error
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

function busy(): AppError {
  return new AppError('unavailable', 'busy', 'Too many requests wait for the ledger to confirm their logins.', {
    hint: 'Try again in a moment.',
    retryAfterSeconds: 1,
  })
}
