import type { HookReport, ListingSource } from '../../model/platforms/reconciliation.js'
import type { DeliveriesList, ListedDelivery } from '../../platforms/deliveries-lists/deliveries-list.js'
import { type MissingDelivery, noteLost, type ReconcileParts } from './hook-run.js'
import { readDeliveryIds } from './known-deliveries.js'

/** How long to wait for the deliveries that the platform sends again. */
const WAIT_MS = 30_000
const LOOK_MS = 500
const MICROS_PER_MS = 1_000

interface Redelivering
  extends Pick<ReconcileParts, 'ledger' | 'list' | 'now' | 'sleep' | 'receives' | 'signal' | 'memory'> {
  report: HookReport
  source: ListingSource
}

/**
 * Asks the platform to deliver again, and waits a while for the deliveries to arrive in the ledger.
 *
 * @param asked each delivery is removed from the front once it is decided
 * @throws as `DeliveriesList`
 */
export async function redeliverAll(asked: MissingDelivery[], run: Redelivering): Promise<void> {
  const { report, list, receives, signal } = run
  const begun = run.now()
  const awaited: MissingDelivery[] = []
  for (let next = asked[0]; next !== undefined; next = asked[0]) {
    const { entry, reason } = next
    const outcome = receives ? await list.redeliver(entry, signal) : 'not received'
    asked.shift()
    if (outcome === 'asked') awaited.push(next)
    else if (outcome === 'accepted') report.redelivered++
    else if (outcome === 'gone') noteLost(run, 'gone', entry, `${reason} The platform does not deliver it again.`)
    else if (outcome === 'failed') noteLost(run, 'missing', entry, `${reason} Delivering it again failed.`)
    else noteLost(run, 'missing', entry, `${reason} No server runs that could receive it again.`)
  }
  const late = await waitFor(awaited, begun, run)
  for (const { entry, reason } of late)
    noteLost(run, 'missing', entry, `${reason} It has not been delivered again yet.`)
}

/** @returns the deliveries that did not arrive in time */
async function waitFor(
  awaited: readonly MissingDelivery[],
  begun: number,
  run: Redelivering,
): Promise<MissingDelivery[]> {
  let waiting = [...awaited]
  const deadline = performance.now() + WAIT_MS
  while (waiting.length > 0) {
    const ids = await readDeliveryIds(run.ledger, run.source, begun * MICROS_PER_MS, run.signal)
    waiting = waiting.filter(({ entry }) => !(entry.deliveryId !== undefined && ids.has(entry.deliveryId)))
    if (waiting.length === 0 || performance.now() >= deadline) break
    await run.sleep(LOOK_MS, run.signal)
  }
  // The ledger does not store the delivery id of a repeat; the platform's list shows whether it was accepted.
  const accepted = waiting.length > 0 ? await listAccepted(run.list, begun, run.signal) : new Set<string>()
  const late = waiting.filter(({ entry }) => entry.deliveryId === undefined || !accepted.has(entry.deliveryId))
  run.report.redelivered += awaited.length - late.length
  return late
}

async function listAccepted(list: DeliveriesList, begun: number, signal?: AbortSignal): Promise<Set<string>> {
  const ids = new Set<string>()
  const note = ({ succeeded, deliveryId }: ListedDelivery) => succeeded && deliveryId && ids.add(deliveryId)
  for await (const page of list.pages(begun, signal)) page.forEach(note)
  return ids
}
