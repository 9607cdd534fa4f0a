import type { Ledger } from '../../ledger/ledger.js'
import { type HookReport, RECONCILE_LIMITS } from '../../model/platforms/reconciliation.js'
import type { WebhookDelivery } from '../../platforms/adapter.js'
import type { AcceptedDelivery, DeliveryRules } from '../../platforms/deliveries/accept-delivery.js'
import type { DeliveriesList, ListedDelivery } from '../../platforms/deliveries-lists/deliveries-list.js'

/** Results of a schedule's earlier runs for one hook. */
export class HookMemory {
  /** Whether the last run read the list to its end and left nothing missing. */
  isClean = false
  /** Whether the last run was the first to find some of the deliveries gone. */
  hasNewlyGone = false
  readonly #settled = new Map<string, 'fine' | 'gone'>()

  /** @param most maximum number of entries; beyond it all are forgotten, and the next run compares them again */
  constructor(private readonly most: number = RECONCILE_LIMITS.listed) {}

  /** Marks an entry that needs no further comparison. */
  settle(id: string, as: 'fine' | 'gone' = 'fine'): void {
    if (this.#settled.size >= this.most) this.#settled.clear()
    if (as === 'gone' && this.#settled.get(id) !== 'gone') this.hasNewlyGone = true
    this.#settled.set(id, as)
  }

  isSettled(id: string): boolean {
    return this.#settled.has(id)
  }

  /** Whether the delivery is permanently gone: the platform lists it, but can neither show nor deliver it. */
  isGone(id: string): boolean {
    return this.#settled.get(id) === 'gone'
  }
}

export interface ReconcileParts {
  ledger: Pick<Ledger, 'query' | 'record' | 'knows'>
  list: DeliveriesList
  /** Accepts a delivery, on another thread if it is large. */
  accept: (delivery: WebhookDelivery, rules: DeliveryRules) => Promise<AcceptedDelivery>
  /** Epoch milliseconds. */
  now: () => number
  sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>
  sinceSeconds: number
  isDryRun: boolean
  /** Whether a server receives deliveries that the platform sends again. */
  receives: boolean
  memory?: HookMemory | undefined
  onListed?: ((listed: number) => void) | undefined
  signal?: AbortSignal | undefined
}

/** One delivery of the list that the ledger seems to lack. */
export interface MissingDelivery {
  entry: ListedDelivery
  /** Why it cannot be recorded from the list. */
  reason: string
}

export function noteLost(
  { report, memory }: { report: HookReport; memory?: HookMemory | undefined },
  as: 'missing' | 'gone',
  { id, deliveryId }: ListedDelivery,
  reason: string,
): void {
  report[as]++
  if (as === 'gone') memory?.settle(id, 'gone')
  if (report.lost.length === RECONCILE_LIMITS.named) return
  report.lost.push({ id, ...(deliveryId === undefined ? {} : { delivery_id: deliveryId }), reason })
}
