import type { AppError } from '../model/app-error.js'
import { type Arrival, type AskedLedger, DeliveryWatch, type DeliveryWatchOptions } from './delivery-watch.js'
import { isTransient, type WaitOptions, waitBeforeRetry } from './retry-wait.js'

interface FirstDeliveryOptions extends DeliveryWatchOptions, Omit<WaitOptions, 'signal' | 'onInterrupted'> {
  /** Called once per outage of the server. */
  onAway: (error: AppError) => void
  onBack: () => void
}

/** Caps the back-off so that a returning server is found within two seconds, before anyone triggers a delivery. */
const MOST_FAILURES = 4

/**
 * Waits for the next delivery in which a webhook of this source proves its origin. Also waits while the server is
 * unreachable, including at the start.
 *
 * @returns undefined if the signal is aborted
 * @throws AppError for failures that waiting cannot resolve, such as `unavailable/not_a_ledger`
 */
export async function firstDelivery(
  client: AskedLedger,
  source: string,
  options: FirstDeliveryOptions,
): Promise<Arrival | undefined> {
  const { signal, onAway, onBack } = options
  const watch = new DeliveryWatch(client, source, options)
  let isConnected = false
  let failures = 0
  try {
    while (!signal.aborted) {
      try {
        if (!isConnected) await watch.connect()
        isConnected = true
        if (failures > 0) onBack()
        failures = 0
        const arrival = await watch.look()
        if (arrival) return arrival
      } catch (error) {
        if (!isTransient(error) || error.code === 'not_a_ledger') throw error
        if (failures === 0) onAway(error)
        failures = Math.min(failures + 1, MOST_FAILURES)
        watch.disconnect()
        isConnected = false
        await waitBeforeRetry(error, failures, options)
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return undefined
}
