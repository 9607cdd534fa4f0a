import type { EventDelivery } from '../../ledger/event-recorder.js'
import { readEvent } from '../../ledger/read-event.js'
import { LEDGER_ROUTE } from '../../model/events/erasure.js'
import { type Provenance, type StoredEvent, storedKeyOf, VERIFICATIONS } from '../../model/events/event.js'
import type { LedgerImport } from '../../model/ledger-copy.js'
import { toTimestamp } from '../../model/timestamp.js'
import type { OpenLedger } from '../open-ledger.js'
import type { CopyLine } from './copy-lines.js'
import type { LineImport } from './import-ledger.js'

/** Limits of one transaction. */
const BATCH = { events: 500, bytes: 8 * 1024 * 1024 }

/**
 * Records the events of an export whose keys a ledger does not have, as new events captured now. Known events stay
 * unchanged. Missing subscriptions are added; users and tokens are not.
 */
export class MergingImport implements LineImport {
  #deliveries = new Map<string, EventDelivery>()
  #bytes = 0
  readonly #report = { events: 0, known: 0, subscriptions: 0, users: 0, tokens: 0 }

  constructor(private readonly opened: Pick<OpenLedger, 'ledger' | 'store'>) {}

  get waiting(): number {
    return this.#deliveries.size
  }

  async take(line: CopyLine): Promise<void> {
    if (line.kind === 'subscription') {
      const { subscriptions } = this.opened.store
      if (await subscriptions.findById(line.value.id)) return
      await subscriptions.save(line.value, ['last_cursor', 'last_event_at', 'capture'])
      this.#report.subscriptions++
    }
    if (line.kind !== 'event' || isOfRemoval(line.parsed as unknown as StoredEvent)) return
    const delivery = { event: readEvent(line.parsed), provenance: toProvenance(line.parsed as unknown as StoredEvent) }
    const key = storedKeyOf(delivery.event, delivery.provenance)
    if (this.#deliveries.has(key)) this.#report.known++
    else this.#deliveries.set(key, delivery)
    this.#bytes += line.event.body.length
    if (this.#deliveries.size >= BATCH.events || this.#bytes >= BATCH.bytes) await this.#flush()
  }

  async finish(): Promise<Omit<LedgerImport, 'database'>> {
    await this.#flush()
    const { head, epoch } = await this.opened.ledger.health()
    const newest = { head: head && toTimestamp(head.capturedAt), head_digest: head?.digest ?? null }
    return { mode: 'merged', ...this.#report, ...newest, epoch }
  }

  async #flush(): Promise<void> {
    const { ledger, store } = this.opened
    const waiting = [...this.#deliveries]
    const isKnown = await Promise.all(waiting.map(([key]) => store.events.findByDedupeKey(key, 0)))
    const missing = waiting.filter((_, at) => isKnown[at] === undefined).map(([, delivery]) => delivery)
    if (missing.length > 0) await ledger.record(missing)
    this.#report.events += missing.length
    this.#report.known += waiting.length - missing.length
    this.#deliveries = new Map()
    this.#bytes = 0
  }
}

/** Events that another ledger has erased, and its entries about them, are not imported. */
function isOfRemoval({ erased, provenance }: StoredEvent): boolean {
  return erased !== undefined || provenance?.route === LEDGER_ROUTE
}

/** The provenance in the exported ledger, except for the route. */
function toProvenance({ provenance }: StoredEvent): Provenance {
  const { verified, delivery_id, key_space } = provenance ?? {}
  return {
    route: 'import',
    verified: VERIFICATIONS.find(known => known === verified) ?? 'none',
    ...(typeof delivery_id === 'string' ? { delivery_id } : {}),
    ...(key_space === 'unverified' ? { key_space } : {}),
  }
}
