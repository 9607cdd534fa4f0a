import { AppError } from '../model/app-error.js'
import { counted } from '../model/counted.js'
import type { Micros } from '../model/timestamp.js'

const SECOND: Micros = 1_000_000
const WINDOW: Micros = 60 * SECOND
const MOST = 5

/**
 * Limits the readings of feeds that users request: for each host, at most five a minute, and none before the time that
 * the host has asked for. Scheduled readings have their own interval.
 */
export class FeedRequests {
  /** Instants of the requests to each host in the last minute, oldest first. */
  readonly #asked = new Map<string, Micros[]>()
  readonly #closedUntil = new Map<string, Micros>()

  /** @throws AppError `throttled/read_too_often` with `retryAfterSeconds` */
  take(host: string, now: Micros): void {
    this.#forget(now)
    const asked = this.#asked.get(host) ?? []
    const full = asked.length >= MOST ? (asked[0] ?? now) + WINDOW : now
    const closed = this.#closedUntil.get(host) ?? now
    if (closed > now && closed >= full) throw tooOften(`${host} accepts no request now.`, closed - now)
    if (full > now) throw tooOften(`Feeds of ${host} were read ${MOST} times in a minute.`, full - now)
    this.#asked.set(host, [...asked, now])
  }

  /** Allows no requests to the host until then, because it has asked for that. */
  close(host: string, until: Micros): void {
    this.#closedUntil.set(host, until)
  }

  /** Removes entries that no longer count, so that the memory is bounded. Setting the clock back ends every limit. */
  #forget(now: Micros): void {
    for (const [host, instants] of this.#asked) {
      const recent = instants.filter(at => at <= now && now - at < WINDOW)
      if (recent.length > 0) this.#asked.set(host, recent)
      else this.#asked.delete(host)
    }
    for (const [host, until] of this.#closedUntil) if (until <= now) this.#closedUntil.delete(host)
  }
}

function tooOften(message: string, wait: Micros): AppError {
  const retryAfterSeconds = Math.ceil(wait / SECOND)
  const hint = `Try again in ${counted(retryAfterSeconds, 'second')}.`
  return new AppError('throttled', 'read_too_often', message, { hint, retryAfterSeconds })
}
