import { isObject } from '../model/json-object.js'
import { type EventPage, type EventParameters, readEventPage } from './event-pages.js'
import type { LedgerClient } from './ledger-client.js'
import { findHead } from './library/follow-pages.js'
import { askForWebhook, type ServedWebhook } from './served-webhook.js'

export type AskedLedger = Pick<LedgerClient, 'events' | 'stats' | 'platforms'>

/** Each callback runs once while the server has no secret, and once more after it got one. */
export interface DeliveryWatchOptions {
  signal: AbortSignal
  /** Called for a delivery without proof. */
  onUnverified: (webhook: ServedWebhook) => void
  /** Called for a repeat that may or may not have been verified. */
  onRepeat: (webhook: ServedWebhook) => void
}

/** What arrived: a new event, or a repeat of a known one. */
export interface Arrival {
  event: unknown
  isRepeat: boolean
}

/** How long one long poll is held. Repeats do not end it, so the watch looks for them afterwards. */
const HOLD_SECONDS = '2'
/** Number of newest events among which a repeated one is searched. */
const LOOKED_AT = '50'

interface Seen {
  checkpoint: string
  /** Repeats of this source in total. */
  repeats: number
  /** Latest repeat among the inspected events. */
  lastRepeatAt: string
}

/**
 * Watches what arrives from one source, from the first connection on.
 *
 * The ledger records only that a repeat happened. It counts as verified if only the webhook can have sent it and the
 * server had its secret before and after: unverified deliveries are refused then.
 */
export class DeliveryWatch {
  readonly #client: AskedLedger
  readonly #source: string
  readonly #options: DeliveryWatchOptions
  readonly #reported = new Set<string>()
  #seen: Seen | undefined
  /** State at the previous look; undefined if the server may have been replaced since. */
  #webhook: ServedWebhook | undefined

  constructor(client: AskedLedger, source: string, options: DeliveryWatchOptions) {
    this.#client = client
    this.#source = source
    this.#options = options
  }

  /** @throws AppError as `LedgerClient` */
  async connect(): Promise<void> {
    const webhook = await this.#askForWebhook()
    if (this.#seen) return
    const checkpoint = await findHead(parameters => this.#ask(parameters))
    const repeats = await this.#countRepeats()
    this.#seen = { checkpoint, repeats, lastRepeatAt: lastSeenAt(await this.#findRepeat()) }
    this.#webhook = webhook
  }

  /** Call when the server is unreachable, because it may return with other settings. */
  disconnect(): void {
    this.#webhook = undefined
  }

  /** Call only when connected. @throws AppError as `LedgerClient` */
  async look(): Promise<Arrival | undefined> {
    if (!this.#seen) return undefined
    return (await this.#lookForNew(this.#seen)) ?? (await this.#lookForRepeat(this.#seen))
  }

  async #lookForNew(seen: Seen): Promise<Arrival | undefined> {
    const page = await this.#ask({ source: this.#source, since: seen.checkpoint, order: 'asc', wait: HOLD_SECONDS })
    seen.checkpoint = page.nextSince ?? seen.checkpoint
    for (const event of page.items) {
      const { route, verified } = provenanceOf(event)
      if (route !== 'webhook') continue
      if (verified !== 'none') return { event, isRepeat: false }
      this.#report('onUnverified', await this.#askForWebhook())
    }
    return undefined
  }

  async #lookForRepeat(seen: Seen): Promise<Arrival | undefined> {
    const before = this.#webhook
    const repeats = await this.#countRepeats()
    const isMore = repeats > seen.repeats
    seen.repeats = repeats
    if (before && !isMore) return undefined
    const webhook = await this.#askForWebhook()
    this.#webhook = webhook
    if (!isMore) return undefined
    const event = await this.#findRepeat()
    const isNew = lastSeenAt(event) > seen.lastRepeatAt
    if (isNew) seen.lastRepeatAt = lastSeenAt(event)
    const isDelivery = isNew && provenanceOf(event).route === 'webhook' && !webhook.isCaptured
    if (isDelivery && before?.isSecretConfigured && webhook.isSecretConfigured) return { event, isRepeat: true }
    this.#report('onRepeat', webhook)
    return undefined
  }

  #report(what: 'onUnverified' | 'onRepeat', webhook: ServedWebhook): void {
    const report = `${what} ${webhook.isSecretConfigured}`
    if (!this.#reported.has(report)) this.#options[what](webhook)
    this.#reported.add(report)
  }

  #ask(parameters: EventParameters): Promise<EventPage> {
    return this.#client.events(parameters, { signal: this.#options.signal }).then(readEventPage)
  }

  #askForWebhook(): Promise<ServedWebhook> {
    return askForWebhook(this.#client, this.#source, { signal: this.#options.signal })
  }

  async #countRepeats(): Promise<number> {
    const stats = (await this.#client.stats({ signal: this.#options.signal })).json()
    return Number(memberOf(memberOf(memberOf(stats, 'by_source'), this.#source), 'duplicates') ?? 0)
  }

  /** The most recently repeated event among the newest ones. */
  async #findRepeat(): Promise<unknown> {
    const { items } = await this.#ask({ source: this.#source, limit: LOOKED_AT })
    const repeated = items.filter(event => Number(memberOf(event, 'seen_count')) > 1)
    return repeated.reduce((last, event) => (lastSeenAt(event) > lastSeenAt(last) ? event : last), undefined)
  }
}

/** Timestamps have equal width, so text order is time order; empty if there is no event. */
function lastSeenAt(event: unknown): string {
  return String(memberOf(event, 'last_seen_at') ?? '')
}

function provenanceOf(event: unknown): { route?: unknown; verified?: unknown } {
  const provenance = memberOf(event, 'provenance')
  return isObject(provenance) ? provenance : {}
}

function memberOf(from: unknown, name: string): unknown {
  return isObject(from) && Object.hasOwn(from, name) ? from[name] : undefined
}
