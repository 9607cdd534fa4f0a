import type { Ledger } from '../../ledger/ledger.js'
import { type HookReport, RECONCILE_LIMITS } from '../../model/platforms/reconciliation.js'
import type { WebhookDelivery } from '../../platforms/adapter.js'
import type { AcceptedDelivery, DeliveryRules } from '../../platforms/deliveries/accept-delivery.js'
import type { DeliveriesList, ListedDelivery } from '../../platforms/deliveries-lists/deliveries-list.js'

/** What earlier runs of a schedule found of a hook. */
export interface HookMemory {
  /** Entries of the list that need no further look. */
  settled: Set<string>
  /** The last run read the list to its end and left nothing missing. */
  isClean: boolean
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
  /** A server receives what the platform delivers again. */
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
  report: HookReport,
  as: 'missing' | 'gone',
  { id, deliveryId }: ListedDelivery,
  reason: string,
): void {
  report[as]++
  if (report.lost.length === RECONCILE_LIMITS.named) return
  report.lost.push({ id, ...(deliveryId === undefined ? {} : { delivery_id: deliveryId }), reason })
}
