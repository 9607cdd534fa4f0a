import { createHash, createHmac } from 'node:crypto'
import { Agent } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import { openAnswer, readWhole } from '../../http/exchange.js'
import { HttpFailure } from '../../http/http-failure.js'
import { growingWait, REQUEST_WAIT } from '../library/growing-wait.js'
import type { LedgerEvent } from '../library/ledger-event.js'
import { NotNow, WorkEnds } from '../library/ordered-work.js'

export interface ForwardOptions {
  url: URL
  /** The key of the signature. */
  secret: Uint8Array
  timeoutSeconds: number
  /** Send a list, also of one event. */
  asList: boolean
}

const ANSWER_BYTES = 64 * 1024
const ERROR_CHARACTERS = 2_000
const WAIT = { default: 5, most: 3_600 }
/** Statuses by which a receiver, or a proxy before it, reports that it is temporarily unavailable. */
const AWAY: readonly number[] = [429, 502, 503, 504]

/**
 * Sends events to a receiver, signed. 2xx: done, regardless of the body. 410: the receiver wants no more events. 429, 502,
 * 503, 504 or no connection: retried later, as `Retry-After` asks, with growing waits. Anything else is a failure. Redirects
 * are not followed.
 *
 * Source: Standard Webhooks 1.0.
 */
export function createForwarder({ url, secret, timeoutSeconds, asList }: ForwardOptions) {
  const agent = url.protocol === 'https:' ? new TlsAgent({ keepAlive: true }) : new Agent({ keepAlive: true })
  const path = url.pathname + url.search
  /** Consecutive answers that the receiver is unavailable. */
  let refusals = 0
  return async (events: readonly LedgerEvent[]): Promise<void> => {
    const body = JSON.stringify(asList ? events : events[0])
    const headers = {
      'content-type': 'application/json',
      ...signatureHeaders(events, { body, secret, now: Date.now() }),
    }
    const limits = { idleSeconds: timeoutSeconds, totalSeconds: timeoutSeconds, maxAnswerBytes: ANSWER_BYTES }
    const call = { method: 'POST', path, headers, body, agent, ...limits } as const
    let isDone = false
    const sending = openAnswer({ baseUrl: url.origin }, call).then(opened => {
      isDone = opened.status >= 200 && opened.status < 300
      // Read also after 2xx, so that the connection is kept.
      return readWhole(opened).finally(opened.end)
    })
    const answer = await sending.catch(error => {
      if (isDone) return undefined
      if (!(error instanceof HttpFailure)) throw error
      if (error.kind === 'too_large') return undefined
      throw error.kind === 'silent'
        ? new Error(`${url.origin} did not answer in ${timeoutSeconds} s.`)
        : away(url, error)
    })
    if (isDone) {
      refusals = 0
      return
    }
    if (!answer) throw new Error(`${url.origin} answered with more than ${ANSWER_BYTES} bytes.`)
    if (answer.status === 410) throw new WorkEnds(`${url.origin} answered with 410: it wants no more events.`)
    const said = `${url.origin} answered with ${answer.status}.`
    if (AWAY.includes(answer.status)) {
      const asked = waitMilliseconds(answer.headers['retry-after'])
      throw new NotNow(said, Math.max(asked, growingWait(++refusals, REQUEST_WAIT)))
    }
    refusals = 0
    throw new Error(`${said}\n${answer.body.toString('utf8').slice(0, ERROR_CHARACTERS)}`.trim())
  }
}

/**
 * A repeat of the same events has the same id, so that a receiver recognises it. An event from a caller without
 * credentials may have the key of a verified one, but not its `captured_at`.
 */
function signatureHeaders(
  events: readonly LedgerEvent[],
  { body, secret, now }: { body: string; secret: Uint8Array; now: number },
): Record<string, string> {
  const keys = events.map(({ dedupe_key, captured_at }) => `${captured_at} ${dedupe_key}`).join('\n')
  const id = `evt_${createHash('sha256').update(keys).digest('hex').slice(0, 32)}`
  const timestamp = String(Math.floor(now / 1000))
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}

function away(url: URL, { reason }: HttpFailure): NotNow {
  return new NotNow(`${url.origin} cannot be reached (${reason}).`, WAIT.default * 1000)
}

/** Seconds, or a date. Source: RFC 9110, 10.2.3. */
function waitMilliseconds(retryAfter: string | undefined): number {
  const seconds = Number(retryAfter ?? WAIT.default)
  const until = Number.isNaN(seconds) ? (Date.parse(retryAfter ?? '') - Date.now()) / 1000 : seconds
  return Math.min(Math.max(Number.isNaN(until) ? WAIT.default : until, 0), WAIT.most) * 1000
}
