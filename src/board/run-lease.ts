import type { Lease } from '../store/event-store.js'
import type { MultiServerRuns } from '../store/run-store.js'

/** The lease on performing runs, which one of the processes that share a board holds. */
export interface HeldRunLease {
  lease: Lease
  /** Aborts before another process may have it. */
  lost: AbortSignal
  release(): Promise<void>
}

/** How often the lease is renewed within its time, so that one renewal without an answer does not lose it. */
const RENEWALS = 10
/** Without a renewal for this part of its time, the lease counts as lost. The rest is for ending the run's processes. */
const TRUSTED_PART = 0.5

/**
 * Takes the lease and renews it until it is released.
 *
 * @param options `seconds`: after this without a renewal, another process may take it; `at`: the present instant
 * @returns undefined while another process has it
 * @throws AppError `unavailable/store_…`
 */
export async function holdRunLease(
  multiServer: MultiServerRuns,
  { seconds, at }: { seconds: number; at: string },
): Promise<HeldRunLease | undefined> {
  let renewedAt = performance.now()
  const lease = await multiServer.acquireLease({ seconds, at })
  if (!lease) return undefined
  const lost = new AbortController()
  let isReleased = false
  const renew = async () => {
    const askedAt = performance.now()
    if (askedAt - renewedAt > seconds * 1000 * TRUSTED_PART) return lost.abort()
    try {
      if (await multiServer.renewLease(lease, seconds)) renewedAt = askedAt
      else if (!isReleased) lost.abort()
    } catch {
      // The renewal is repeated until the lease counts as lost.
    }
  }
  const renewal = setInterval(renew, (seconds * 1000) / RENEWALS)
  return {
    lease,
    lost: lost.signal,
    release: async () => {
      clearInterval(renewal)
      isReleased = true
      // A lease that cannot be released expires soon.
      await multiServer.releaseLease(lease).catch(() => undefined)
    },
  }
}
