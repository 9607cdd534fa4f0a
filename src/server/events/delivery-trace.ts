import { AppError } from '../../model/app-error.js'
import {
  type DeliveryTraceState,
  joinTraces,
  type RefusedDelivery,
  type SourceDeliveries,
  TRACE_LIMITS,
} from '../../model/platforms/delivery-trace.js'
import { type Micros, toTimestamp } from '../../model/timestamp.js'
import type { HttpRequest } from '../http/route.js'

/** Headers with the id of a delivery, in order of precedence. */
const ID_HEADERS = [
  ...['x-github-delivery', 'x-forgejo-delivery', 'x-gitea-delivery', 'x-gogs-delivery', 'idempotency-key'],
  ...['webhook-id', 'svix-id', 'x-gitlab-event-uuid', 'x-discourse-event-id'],
]
/** Ids that fit on a line and are printable in every terminal. */
const SHOWABLE_ID = /^[\x21-\x7e]{1,100}$/

/** Notes deliveries without waiting for a store, because an attacker decides how often they arrive. */
export interface ServedTrace {
  noteAccepted(source: string): void
  /** @param error what the handler threw */
  noteRefused(source: string, error: unknown, req: Pick<HttpRequest, 'headers'>): void
  /** The trace of the last seven days. */
  state(): DeliveryTraceState | Promise<DeliveryTraceState>
}

/**
 * The trace of deliveries to the webhooks: when each source last delivered, which deliveries were refused, and why. It
 * contains nothing of a refused body, because nothing proves who sent it. Refused deliveries above a limit are only
 * counted.
 */
export class DeliveryTrace implements ServedTrace {
  #since: string
  readonly #sources = new Map<string, SourceDeliveries>()
  /** Oldest first. */
  #refused: RefusedDelivery[] = []

  /** @param before the state that it continues */
  constructor(
    private readonly now: () => Micros,
    before?: DeliveryTraceState,
  ) {
    this.#since = before?.since ?? toTimestamp(now())
    for (const source of before?.sources ?? []) this.#sources.set(source.source, { ...source })
    this.#refused = [...(before?.refused ?? [])].reverse()
  }

  get isEmpty(): boolean {
    return this.#sources.size === 0
  }

  noteAccepted(source: string): void {
    const entry = this.#entryOf(source)
    entry.accepted++
    entry.last_accepted_at = toTimestamp(this.now())
  }

  noteRefused(source: string, error: unknown, { headers }: Pick<HttpRequest, 'headers'>): void {
    const at = toTimestamp(this.now())
    const entry = this.#entryOf(source)
    entry.refused++
    entry.last_refused_at = at
    const { code, message } = error instanceof AppError ? error : { code: 'internal', message: 'The server failed.' }
    const id = ID_HEADERS.map(name => headers[name]).find(value => typeof value === 'string' && SHOWABLE_ID.test(value))
    const length = Number(headers['content-length'] ?? Number.NaN)
    this.#refused.push({
      at,
      source,
      code,
      detail: message.slice(0, TRACE_LIMITS.detailCharacters),
      ...(typeof id === 'string' ? { delivery_id: id } : {}),
      ...(Number.isSafeInteger(length) ? { bytes: length } : {}),
    })
    this.#forgetAlike(source, code)
    if (this.#refused.length > TRACE_LIMITS.refused) this.#refused.shift()
  }

  state(): DeliveryTraceState {
    const state = { since: this.#since, sources: [...this.#sources.values()], refused: [...this.#refused].reverse() }
    return joinTraces([state], this.now())
  }

  #entryOf(source: string): SourceDeliveries {
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
