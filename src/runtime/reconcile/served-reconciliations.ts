import type { Logger } from 'pino'
import type { ListedHook } from '../../model/platforms/reconciliation.js'
import { type Micros, toTimestamp } from '../../model/timestamp.js'
import type { ServedReconciliations } from '../../server/events/reconcile-route.js'
import type { OpenLedger } from '../open-ledger.js'
import { pause } from '../pause.js'
import { RECONCILE_PACE, ReconcileSchedule, reconcileOff } from './reconcile-schedule.js'
import { Reconciliations, type ReconciliationsParts } from './reconciliations.js'
import { StoredReports } from './stored-reports.js'

interface ReconcilingServer {
  served: ServedReconciliations
  /** Compares these hooks on schedule from now on. */
  begin(hooks: readonly ListedHook[]): void
  stop(): Promise<void>
}

/** Compares deliveries for commands, for administrators, and on schedule once it has begun. */
export function reconcilingServer(
  { ledger, store }: Pick<OpenLedger, 'ledger' | 'store'>,
  {
    logger,
    now,
    acceptLarge,
  }: { logger: Logger; now: () => Micros; acceptLarge: NonNullable<ReconciliationsParts['acceptLarge']> },
): ReconcilingServer {
  const reports = new StoredReports(store.notes, store.multiServer)
  const reconciliations = new Reconciliations({
    ledger,
    now: () => now() / 1_000,
    sleep: pause,
    receives: true,
    acceptLarge,
    keep: (request, outcome) =>
      reports.save(request, outcome, toTimestamp(now())).catch(error => {
        logger.warn({ err: error }, 'the report of a comparison could not be saved')
      }),
  })
  let schedule: ReconcileSchedule | undefined
  return {
    served: {
      run: (request, call) => reconciliations.run(request, call),
      status: () => schedule?.status() ?? reports.status({ hooks: [], running: null }),
      start: async wanted => {
        if (!schedule) throw reconcileOff()
        await schedule.start(wanted)
      },
    },
    begin: hooks => {
      const parts = { reconciliations, reports, hooks, logger, now, pace: RECONCILE_PACE, leases: store.multiServer }
      schedule = new ReconcileSchedule({ ...parts, headAtOpen: ledger.headAtOpen })
    },
    stop: async () => schedule?.stop(),
  }
}
