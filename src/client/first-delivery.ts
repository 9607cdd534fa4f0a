import type { AppError } from '../model/app-error.js'
import { type Arrival, type AskedLedger, DeliveryWatch, type DeliveryWatchOptions } from './delivery-watch.js'
import { isPassing, type WaitOptions, waitOut } from './wait-out.js'

export interface FirstDeliveryOptions extends DeliveryWatchOptions, Omit<WaitOptions, 'signal' | 'onInterrupted'> {
  /** Told once for every time that the server is away. */
  onAway: (error: AppError) => void
  onBack: () => void
}

/** A server that comes back is met within two seconds, before somebody lets a platform deliver. */
const MOST_FAILURES = 4

/**
 * Waits for the first delivery from now on that a webhook of this source brings with a proof of where it comes from. A
 * server that is away is waited for, also at the beginning.
 *
 * @returns undefined when the signal is aborted
 * @throws AppError what waiting cannot help, `unavailable/not_a_ledger` among it
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
        if (!isPassing(error) || error.code === 'not_a_ledger') throw error
        if (failures === 0) onAway(error)
        failures = Math.min(failures + 1, MOST_FAILURES)
        watch.disconnect()
        isConnected = false
        await waitOut(error, failures, options)
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return undefined
}
