import { exchange } from '../http/exchange.js'

const MAX_SECONDS = 3
const MAX_ANSWER_BYTES = 16 * 1024

/**
 * Asks a ledger, with `GET /api/session`, which user a browser's cookie belongs to.
 *
 * @param ledgerUrl base address, without trailing slash
 * @param cookie `name=value`
 * @returns the answer, not validated
 * @throws HttpFailure; Error for an answer other than 200 and for one that is not JSON. Never contains the cookie.
 */
export async function askSession(ledgerUrl: string, cookie: string): Promise<unknown> {
  const { status, body } = await exchange(
    { baseUrl: ledgerUrl },
    {
      method: 'GET',
      path: '/api/session',
      headers: { accept: 'application/json', cookie },
      idleSeconds: MAX_SECONDS,
      totalSeconds: MAX_SECONDS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
    },
  )
  if (status !== 200) throw new Error(`The ledger answered ${status}`)
  try {
    return JSON.parse(body.toString())
  } catch {
    // The parser's message quotes the answer.
    throw new Error('The answer of the ledger is not JSON')
  }
}
