import { LedgerSocketClient } from '../../client/ledger-socket-client.js'
import { AppError } from '../../model/app-error.js'
import type { ReconcileProgress, ReconcileRequest, ReconcileResult } from '../../model/platforms/reconciliation.js'
import { toTimestamp } from '../../model/timestamp.js'
import type { LocalSettings } from '../../settings/local-settings.js'
import type { MultiServerStore } from '../../store/multi-server-store.js'
import { type HeldLease, holdLease } from '../held-lease.js'
import { openLedger } from '../open-ledger.js'
import { pause } from '../pause.js'
import { ledgerViaServerOrFile } from '../via-server-or-file.js'
import { type ReconcileCall, Reconciliations } from './reconciliations.js'
import { beginRun, RECONCILE_LEASE, StoredReports } from './stored-reports.js'

interface ReconcileListeners {
  onProgress: (progress: ReconcileProgress) => void
  /** Called once if the run of another server, on a ledger in PostgreSQL, has to end first. */
  onWaiting: () => void
}

/** How often to check whether the run of a server has ended. */
const LOOK_MS = 1_000

/**
 * Finds and fetches missed deliveries in the process that owns the ledger: the server that has it open, else this one.
 *
 * @throws AppError `not_found/ledger_missing`, `unavailable/ledger_busy`; as `Reconciliations`
 */
export async function reconcile(
  settings: LocalSettings,
  request: ReconcileRequest,
  listeners: ReconcileListeners,
): Promise<ReconcileResult> {
  try {
    return await ledgerViaServerOrFile(settings.database, {
      server: (_, socketPath) => new LedgerSocketClient({ socketPath }).reconcile(request, listeners.onProgress),
      file: () => reconcileFile(settings, request, listeners),
    })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'ledger_owned') throw error
    throw new AppError('unavailable', 'ledger_busy', error.message, { cause: error })
  }
}

async function reconcileFile(
  settings: LocalSettings,
  request: ReconcileRequest,
  { onProgress, onWaiting }: ReconcileListeners,
): Promise<ReconcileResult> {
  const opened = await openLedger(settings, 'command')
  const { clock } = opened
  const stop = new AbortController()
  // Stops writing as soon as this process no longer owns the ledger.
  opened.failed.catch(error => stop.abort(error))
  // Servers may have a PostgreSQL database open at the same time.
  const receives = opened.file === undefined
  try {
    const reports = new StoredReports(opened.store.notes)
    const reconciliations = new Reconciliations({
      ledger: opened.ledger,
      now: () => clock() / 1_000,
      sleep: pause,
      receives,
      // A failed write is ignored: the user of the command sees the result in its output.
      keep: (request, outcome) => reports.save(request, outcome, toTimestamp(clock())).catch(() => undefined),
    })
    const { signal } = stop
    const { multiServer } = opened.store
    if (!multiServer) return await reconciliations.run(request, { signal, onProgress })
    const held = await waitForLease(multiServer, { signal, onWaiting })
    const run = beginRun(request.dry_run, toTimestamp(clock()))
    const call = (lost: AbortSignal): ReconcileCall => ({
      signal: AbortSignal.any([signal, lost]),
      onProgress: progress => {
        run.note(progress)
        onProgress(progress)
      },
    })
    return await held.during(lost => reports.announce(run.running, () => reconciliations.run(request, call(lost))))
  } finally {
    await opened.close()
  }
}

/** Waits as a run waits for another run of the same server. A killed server keeps the lease for half a minute. */
async function waitForLease(
  leases: MultiServerStore,
  { signal, onWaiting }: { signal: AbortSignal; onWaiting: () => void },
): Promise<HeldLease> {
  for (let isFirst = true; ; isFirst = false) {
    const held = await holdLease(leases, RECONCILE_LEASE)
    if (held) return held
    if (isFirst) onWaiting()
    await pause(LOOK_MS, signal)
  }
}
