import type { HttpAnswer } from '../http/exchange.js'
import { AppError } from '../model/app-error.js'
import { isObject } from '../model/json-object.js'
import { LEDGER } from './answer.js'
import { notADaybookServer } from './problem.js'
import { callWithBody, JSON_TYPE, type ServerCall, ServerClient } from './server-client.js'
import type { ServerAddress } from './transport.js'

/** An API token that a login has issued. */
interface IssuedToken {
  id: string
  token: string
}

/** Logs in to a ledger with a password, as its page does, to issue an API token. */
export class SessionClient extends ServerClient {
  constructor(address: ServerAddress) {
    super(address, { names: LEDGER, headers: {}, hintOf: () => undefined })
  }

  /**
   * Begins a session, issues a token with all rights of the user, and ends the session.
   *
   * @param name purpose of the token, as lists show it
   * @throws AppError `unauthenticated/…` for a wrong password; as `ServerClient`
   */
  async issueToken({ username, password }: { username: string; password: string }, name: string): Promise<IssuedToken> {
    const login = callWithBody('POST', '/api/login', JSON_TYPE, JSON.stringify({ username, password }))
    const session = await this.#begin(login)
    try {
      const issue = callWithBody('POST', '/api/me/token', JSON_TYPE, JSON.stringify({ name }))
      return readToken((await this.call({ ...issue, headers: { ...issue.headers, ...session } })).json())
    } finally {
      await this.call({ method: 'POST', path: '/api/logout', headers: session })
    }
  }

  async #begin(login: ServerCall): Promise<Record<string, string>> {
    const answer = await this.exchange(login)
    try {
      return readSession(answer, this.toAnswer(answer).json())
    } catch (error) {
      // A board has a login too.
      await this.refuseOtherProgram()
      throw error
    }
  }
}

/** The headers that prove the session. */
function readSession(answer: HttpAnswer, status: unknown): Record<string, string> {
  const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0]
  const csrfToken = memberOf(status, 'csrf_token')
  if (cookie === undefined || typeof csrfToken !== 'string') throw notADaybookServer(answer.status, LEDGER)
  return { cookie, 'x-csrf-token': csrfToken }
}

function readToken(issued: unknown): IssuedToken {
  const [id, token] = [memberOf(issued, 'id'), memberOf(issued, 'token')]
  if (typeof id === 'string' && typeof token === 'string') return { id, token }
  throw new AppError('unavailable', LEDGER.mismatchCode, 'The server answered without a token.', {
    hint: `Check ${LEDGER.givenBy}.`,
  })
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}
