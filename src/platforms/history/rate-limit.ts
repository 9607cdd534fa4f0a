import type { HttpAnswer } from '../../http/exchange.js'

/** Used if a platform asks to wait without a duration; GitHub asks for a minute in this case. */
const DEFAULT_SECONDS = 60
/** A platform that repeatedly asks for no wait must not be called without a pause. */
const SHORTEST_SECONDS = 0.1

export interface RateLimitWait {
  /** The platform has refused the request, and it has to be sent again. */
  isRefused: boolean
  /** How long to send nothing. */
  seconds: number
}

/**
 * The wait that an answer asks for, by its status, `Retry-After`, and `X-RateLimit-*` (GitHub) or `RateLimit-*` (GitLab).
 *
 * @param now epoch milliseconds of the receiver
 *
 * Source: GitHub, "Rate limits for the REST API"; GitLab, "Rate limits: response headers"; Discourse, `429` with
 * `Retry-After`.
 */
export function rateLimitWait({ status, headers }: HttpAnswer, now: number): RateLimitWait {
  const left = headers['x-ratelimit-remaining'] ?? headers['ratelimit-remaining']
  const isUsedUp = left !== undefined && Number(left) === 0
  const after = readRetryAfter(headers['retry-after'], now)
  const isRefused = status === 429 || (status === 403 && (after !== undefined || isUsedUp))
  if (!isRefused && !(status === 200 && isUsedUp)) return { isRefused: false, seconds: 0 }
  const reset = isUsedUp ? untilReset(headers, now) : undefined
  const seconds = isRefused ? (after ?? reset ?? DEFAULT_SECONDS) : (reset ?? 0)
  return { isRefused, seconds: isRefused ? Math.max(seconds, SHORTEST_SECONDS) : seconds }
}

/** The platform's clock counts, so that a wrong clock here does not make the wait longer. */
function untilReset(headers: HttpAnswer['headers'], now: number): number | undefined {
  const reset = Number(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset'] ?? Number.NaN)
  if (!Number.isFinite(reset)) return undefined
  const platformNow = Date.parse(headers.date ?? '')
  return Math.max(0, reset - (Number.isNaN(platformNow) ? now : platformNow) / 1_000)
}

/** Seconds, or a date. */
function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined || value.trim() === '') return undefined
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return Math.max(0, seconds)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1_000)
}
