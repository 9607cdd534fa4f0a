import type { IncomingHttpHeaders } from 'node:http'
import type { HttpAnswer } from '../../http/exchange.js'

/** Used for a refusal without a duration. GitHub asks for at least a minute. */
const DEFAULT_WAIT_SECONDS = 60
const MAX_WAIT_SECONDS = 24 * 3_600
/** Minimum pause, for servers that ask for none. Each further refusal of a request doubles it. */
export const MIN_WAIT_SECONDS = 0.1

/** Part of a refusal that is searched for its reason. */
const MESSAGE_BYTES = 2_000

/** The names of GitHub and Discourse, then those of GitLab. */
const REMAINING = ['x-ratelimit-remaining', 'ratelimit-remaining'] as const
const RESET = ['x-ratelimit-reset', 'ratelimit-reset'] as const

/**
 * How long a refusal asks to wait.
 *
 * @param platformNow epoch milliseconds by the platform's clock
 * @returns seconds; undefined if the answer is not a refusal by a rate limit
 *
 * Source: GitHub, "Rate limits for the REST API"; GitLab, "Rate limits"; RFC 9110, "Retry-After".
 */
export function waitAsked({ status, headers, body }: HttpAnswer, platformNow: number): number | undefined {
  const retryAfter = retryAfterOf(headers, platformNow)
  const isForbidden = () => retryAfter === undefined && !isUsedUp(headers) && !namesLimit(body)
  const isLimited = status === 429 || (status === 403 && !isForbidden())
  if (!isLimited) return undefined
  const reset = isUsedUp(headers) ? untilReset(headers, platformNow) : undefined
  return bounded(retryAfter ?? reset ?? DEFAULT_WAIT_SECONDS)
}

/** How long the next request must wait after this successful one, because it used up the allowance. */
export function waitAfter({ headers }: HttpAnswer, platformNow: number): number | undefined {
  const seconds = isUsedUp(headers) ? untilReset(headers, platformNow) : undefined
  return seconds === undefined ? undefined : bounded(seconds)
}

/**
 * Whether a refusal is GitHub's secondary rate limit. Only its message shows it if `Retry-After` is missing. A list that
 * the account may not read would be left out.
 */
function namesLimit(body: Buffer): boolean {
  return /\brate limit\b|\babuse detection\b/iu.test(body.subarray(0, MESSAGE_BYTES).toString('latin1'))
}

function bounded(seconds: number): number {
  return Math.min(Math.max(seconds, MIN_WAIT_SECONDS), MAX_WAIT_SECONDS)
}

/**
 * The wait in `Retry-After`, which has seconds or an instant.
 *
 * @returns seconds; negative for an instant in the past
 */
export function retryAfterOf(headers: IncomingHttpHeaders, platformNow: number): number | undefined {
  const text = headers['retry-after']?.trim() ?? ''
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Number(text)
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : (at - platformNow) / 1_000
}

function isUsedUp(headers: IncomingHttpHeaders): boolean {
  return REMAINING.some(name => headers[name] === '0')
}

function untilReset(headers: IncomingHttpHeaders, platformNow: number): number | undefined {
  const text = RESET.map(name => headers[name]).find(value => typeof value === 'string') ?? ''
  return /^\d{1,12}$/.test(String(text)) ? Number(text) - platformNow / 1_000 : undefined
}
