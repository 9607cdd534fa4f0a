import { AppError } from '../../../model/app-error.js'
import type { Lease } from '../../event-store.js'
import type { MultiServerStore } from '../../multi-server-store.js'
import type { Pool } from '../connection/pool.js'

/** By the clock of the database server. */
const ENDS_AT = `clock_timestamp() + make_interval(secs => $3)`
/**
 * When a lease that is held may end. No lease is as long as ten minutes: one that ends later was given before the clock
 * was set back, such as by a failover to a host whose clock is behind, and its holder may be gone.
 */
const HELD_RANGE = `clock_timestamp() AND clock_timestamp() + interval '10 minutes'`
/** If another transaction is inserting the row, the statement waits for it, and then finds the lease taken. */
const ACQUIRE = /* sql */ `
  INSERT INTO leases AS lease (name, holder, fence, ends_at) VALUES ($1, $2, 1, ${ENDS_AT})
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, fence = lease.fence + 1, ends_at = excluded.ends_at
  WHERE lease.ends_at NOT BETWEEN ${HELD_RANGE}
  RETURNING fence`
/** A renewal that arrives after the release changes nothing. One that is late renews the lease, if no other server has taken it. */
const RENEW = /* sql */ `
  UPDATE leases SET ends_at = ${ENDS_AT}
  WHERE name = $1 AND fence = $2 AND ends_at <> '-infinity'
  RETURNING fence`
/** The row stays, so that its fence continues to rise. */
const RELEASE = /* sql */ `UPDATE leases SET ends_at = '-infinity' WHERE name = $1 AND fence = $2`
const IS_HELD = /* sql */ `SELECT 1 AS found FROM leases WHERE name = $1 AND ends_at BETWEEN ${HELD_RANGE}`

/** Leases on work that one server alone may do. @param holder names this server, for operators */
export function leaseTasks(
  pool: Pool,
  holder: string,
): Pick<MultiServerStore, 'acquireLease' | 'renewLease' | 'releaseLease' | 'isLeaseHeld'> {
  return {
    acquireLease: async (name, seconds): Promise<Lease | undefined> => {
      const [row] = await pool.run(ACQUIRE, name, holder, seconds)
      return row && { name, fence: Number(row.fence) }
    },
    renewLease: async ({ name, fence }, seconds) => (await pool.run(RENEW, name, fence, seconds)).length > 0,
    releaseLease: async ({ name, fence }) => void (await pool.run(RELEASE, name, fence)),
    isLeaseHeld: async name => (await pool.run(IS_HELD, name)).length > 0,
  }
}

export function leaseLost(): AppError {
  const message = 'Another server does this work now; this one was too slow.'
  return new AppError('conflict', 'lease_lost', message, { hint: 'No action is needed.' })
}
