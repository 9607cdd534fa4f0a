import { EXECUTOR } from '../../../model/board/card-history.js'
import type { MultiServerStore } from '../../multi-server-store.js'
import type { MultiServerRuns } from '../../run-store.js'
import type { Pool } from '../connection/pool.js'
import { lockBoard } from './board-lock.js'
import { notifyOfRun, type RunNotices } from './run-notices.js'
import { updateRun } from './run-store.js'

/** The lease of the executor that performs runs. */
const RUN_LEASE = 'executor'
const LIST_LEFT = /* sql */ `
  SELECT id FROM runs WHERE state IN ('queued', 'running') AND fence < $1 ORDER BY seq`
const MOST_MARKERS = 100
const LIST_MARKERS = /* sql */ `
  SELECT marker FROM runs WHERE state = 'interrupted' AND marker IS NOT NULL ORDER BY seq DESC LIMIT ${MOST_MARKERS}`
const REQUEST_CANCEL = /* sql */ `
  UPDATE runs SET cancel_by = $2 WHERE id = $1 AND cancel_by IS NULL AND state IN ('queued', 'running')`
const FIND_CANCEL = /* sql */ `SELECT cancel_by FROM runs WHERE id = $1 AND cancel_by IS NOT NULL`

interface MultiServerRunParts {
  leases: Pick<MultiServerStore, 'acquireLease' | 'renewLease' | 'releaseLease'>
  notices: RunNotices
}

/** Coordinates the executors of several servers. */
export function multiServerRuns(
  pool: Pool,
  { leases, notices }: MultiServerRunParts,
): Omit<MultiServerRuns, 'onChange'> {
  return {
    acquireLease: async ({ seconds, at }) => {
      const lease = await leases.acquireLease(RUN_LEASE, seconds)
      if (!lease) return undefined
      try {
        await pool.transaction(async connection => {
          await lockBoard(connection)
          for (const { id } of await connection.run(LIST_LEFT, lease.fence)) {
            await updateRun(connection, String(id), { state: 'interrupted', finished_at: at }, EXECUTOR)
            await notifyOfRun(connection, notices, String(id))
          }
        })
      } catch (error) {
        // A lease that cannot be released expires.
        await leases.releaseLease(lease).catch(() => undefined)
        throw error
      }
      return lease
    },
    renewLease: leases.renewLease,
    releaseLease: leases.releaseLease,
    listLeftMarkers: async () => (await pool.run(LIST_MARKERS)).map(row => String(row.marker)),
    requestCancel: (id, by) =>
      pool.transaction(async connection => {
        await lockBoard(connection)
        await connection.run(REQUEST_CANCEL, id, JSON.stringify(by))
        await notifyOfRun(connection, notices, id)
      }),
    findCancelRequest: async id => {
      const [row] = await pool.run(FIND_CANCEL, id)
      return row && JSON.parse(String(row.cancel_by))
    },
  }
}
