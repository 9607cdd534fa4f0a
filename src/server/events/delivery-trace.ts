import { AppError } from '../../model/app-error.js'
import {
  type DeliveryTraceState,
  type RefusedDelivery,
  type SourceDeliveries,
  TRACE_LIMITS,
} from '../../model/platforms/delivery-trace.js'
import { type Micros, toTimestamp } from '../../model/timestamp.js'
import type { HttpRequest } from '../http/route.js'

/** Headers with the id of a delivery, in the order in which they are looked for. */
const ID_HEADERS = [
  ...['x-github-delivery', 'x-forgejo-delivery', 'x-gitea-delivery', 'x-gogs-delivery', 'idempotency-key'],
  ...['webhook-id', 'x-gitlab-event-uuid', 'x-discourse-event-id'],
]
/** What fits a line, and is text in every terminal. */
const SHOWABLE_ID = /^[\x21-\x7e]{1,100}$/
const DAY: Micros = 86_400_000_000

/**
 * What arrived at the webhooks: when each source last delivered, and what was refused, and why. It has nothing of a refused
 * body, because nothing proves who sent it.
 */
export class DeliveryTrace {
  #since: string
  readonly #sources = new Map<string, SourceDeliveries>()
  /** Oldest first. */
  #refused: RefusedDelivery[] = []
  /** Rises with each change. */
  changes = 0

  /** @param kept of an earlier server of the same ledger */
  constructor(
    private readonly now: () => Micros,
    kept?: DeliveryTraceState,
  ) {
    this.#since = kept?.since ?? toTimestamp(now())
    for (const source of kept?.sources ?? []) this.#sources.set(source.source, { ...source })
    this.#refused = [...(kept?.refused ?? [])].reverse()
  }

  noteAccepted(source: string): void {
    const entry = this.#entryOf(source)
    entry.accepted++
    entry.last_accepted_at = toTimestamp(this.now())
  }

  /** @param error what the handler threw */
  noteRefused(source: string, error: unknown, { headers }: Pick<HttpRequest, 'headers'>): void {
    const at = toTimestamp(this.now())
    const entry = this.#entryOf(source)
    entry.refused++
    entry.last_refused_at = at
    const { code, message } = error instanceof AppError ? error : { code: 'internal', message: 'The server failed.' }
    const id = ID_HEADERS.map(name => headers[name]).find(value => typeof value === 'string' && SHOWABLE_ID.test(value))
    const length = Number(headers['content-length'] ?? Number.NaN)
    this.#refused.push({
      ...{ at, source, code, detail: message.slice(0, TRACE_LIMITS.detailCharacters) },
      ...(typeof id === 'string' ? { delivery_id: id } : {}),
      ...(Number.isSafeInteger(length) ? { bytes: length } : {}),
    })
    this.#forgetAlike(source, code)
    if (this.#refused.length > TRACE_LIMITS.refused) this.#refused.shift()
  }

  /** Of the last seven days. */
  state(): DeliveryTraceState {
    const oldest = toTimestamp(this.now() - TRACE_LIMITS.days * DAY)
    this.#refused = this.#refused.filter(({ at }) => at >= oldest)
    const sources = [...this.#sources.values()].sort((left, right) => (left.source < right.source ? -1 : 1))
    return { since: this.#since, sources, refused: [...this.#refused].reverse() }
  }

  #entryOf(source: string): SourceDeliveries {
    this.changes++
    const known = this.#sources.get(source)
    if (known) return known
    const [first] = this.#sources.keys()
    if (first !== undefined && this.#sources.size >= TRACE_LIMITS.sources) this.#sources.delete(first)
    const entry = { source, accepted: 0, last_accepted_at: null, refused: 0, last_refused_at: null }
    this.#sources.set(source, entry)
    return entry
  }

  #forgetAlike(source: string, code: string): void {
    const isAlike = (each: RefusedDelivery) => each.source === source && each.code === code
    let count = 0
    for (const each of this.#refused) if (isAlike(each)) count++
    if (count > TRACE_LIMITS.alike) this.#refused.splice(this.#refused.findIndex(isAlike), 1)
  }
}
