import { Refusal } from './refusal.js'

/** The maximum number of requests in a number of seconds, which the platform counts for each user. */
export interface RateLimit {
  requests: number
  seconds: number
}

/** Counts the requests of the last seconds. */
export class RateLimiter {
  #times: number[] = []

  /** @param now epoch milliseconds */
  constructor(
    private readonly limit: RateLimit,
    private readonly now: () => number,
  ) {}

  /** @returns the headers of the answer. @throws Refusal with what to wait, in fractions of a second */
  take(): Record<string, string> {
    const { requests, seconds } = this.limit
    const now = this.now()
    this.#times = this.#times.filter(time => time > now - seconds * 1000)
    const [oldest] = this.#times
    const isOver = this.#times.length >= requests && oldest !== undefined
    if (!isOver) this.#times.push(now)
    const freeAt = (oldest ?? now) + seconds * 1000
    const headers = {
      'x-ratelimit-limit': String(requests),
      'x-ratelimit-remaining': String(Math.max(0, requests - this.#times.length)),
      'x-ratelimit-reset': String(Math.ceil(freeAt / 1000)),
    }
    if (isOver) throw rateLimitHit((freeAt - now) / 1000 + 0.000_123)
    return headers
  }
}

function rateLimitHit(retryAfterSeconds: number): Refusal {
  return new Refusal(429, 'RATE_LIMIT_HIT', 'API usage exceeded rate limit', { 'retry-after': retryAfterSeconds })
}
