import { AppError } from '../model/app-error.js'
import type { Lease } from '../store/event-store.js'
import type { MultiServerStore } from '../store/multi-server-store.js'

/** Without a renewal for so long, another server may take a lease over. */
const LEASE_SECONDS = 30
const RENEW_MS = 10_000

export interface HeldLease {
  lease: Lease
  /** @returns false if another server has it by now, because this process was suspended or cut off */
  renew(): Promise<boolean>
  /**
   * Renews the lease while the work runs, and releases it at the end.
   *
   * @param work with a signal that aborts once another server has the lease
   * @throws AppError `conflict/lease_lost` if the work failed after that; as `work`
   */
  during<Result>(work: (lost: AbortSignal) => Promise<Result>): Promise<Result>
}

/**
 * Takes a lease. Everything that the work records must name the lease. If the lease is lost, because this process was
 * suspended or cut off, nothing more is recorded under it.
 *
 * @returns undefined while another server holds it
 *
 * Source: docs/decisions/0068.
 */
export async function holdLease(
  leases: Pick<MultiServerStore, 'acquireLease' | 'renewLease' | 'releaseLease'>,
  name: string,
): Promise<HeldLease | undefined> {
  const lease = await leases.acquireLease(name, LEASE_SECONDS)
  if (!lease) return undefined
  return {
    lease,
    renew: () => leases.renewLease(lease, LEASE_SECONDS),
    during: async work => {
      const lost = new AbortController()
      const renew = async () => {
        // A renewal that fails is tried again; the fence decides whether it was in time.
        const isOurs = await leases.renewLease(lease, LEASE_SECONDS).catch(() => true)
        if (!isOurs) lost.abort(leaseLost(name))
      }
      const renewal = setInterval(renew, RENEW_MS)
      try {
        return await work(lost.signal)
      } catch (error) {
        throw lost.signal.aborted ? lost.signal.reason : error
      } finally {
        clearInterval(renewal)
        // A lease that cannot be released expires soon.
        await leases.releaseLease(lease).catch(() => undefined)
      }
    },
  }
}

function leaseLost(name: string): AppError {
  const message = `Another server has taken over "${name}": this one did not answer for ${LEASE_SECONDS} seconds.`
  return new AppError('conflict', 'lease_lost', message, { hint: 'No action is needed.' })
}
