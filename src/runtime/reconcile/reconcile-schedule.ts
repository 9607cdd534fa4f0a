import type { Logger } from 'pino'
import { AppError } from '../../model/app-error.js'
import {
  type HookReport,
  type ListedHook,
  type ListingSource,
  RECONCILE_LIMITS,
  type ReconcileRequest,
  type ReconcileStart,
  type ReconcileStatus,
} from '../../model/platforms/reconciliation.js'
import { type Micros, toTimestamp } from '../../model/timestamp.js'
import type { MultiServerStore } from '../../store/multi-server-store.js'
import { type HeldLease, holdLease } from '../held-lease.js'
import { RepeatedWork } from '../repeated-work.js'
import type { HookMemory } from './hook-run.js'
import type { ReconcileCall, Reconciliations } from './reconciliations.js'
import { beginRun, RECONCILE_LEASE, type StoredReports } from './stored-reports.js'

/** How often it runs. */
export const RECONCILE_PACE: ReconcilePace = { everyMs: 60 * 60_000, retryMs: 5 * 60_000 }

interface ReconcilePace {
  everyMs: number
  /** Wait after a platform could not be read, or while another server reconciles. */
  retryMs: number
}

/** After a shorter absence of the server, platforms send missed deliveries again soon. */
const SHORT_ABSENCE: Micros = 60_000_000

type Run = (request: ReconcileRequest, call: ReconcileCall) => Promise<HookReport[]>

interface Begun extends ReturnType<typeof beginRun> {
  held: HeldLease | undefined
}

export interface ReconcileScheduleParts {
  /** Runs the comparisons, and keeps the reports. */
  reconciliations: Pick<Reconciliations, 'run'>
  reports: Pick<StoredReports, 'status' | 'announce'>
  hooks: readonly ListedHook[]
  logger: Pick<Logger, 'info' | 'warn' | 'error'>
  /** The newest event when the ledger was opened. None arrived between it and the start. Null if there is none. */
  headAtOpen: Micros | null
  now: () => Micros
  pace: ReconcilePace
  /** Leases of servers that share the ledger: only the holder reconciles. */
  leases?: Pick<MultiServerStore, 'acquireLease' | 'renewLease' | 'releaseLease'> | undefined
}

/**
 * Finds and fetches missed deliveries until it is stopped: after a start that follows more than a minute without
 * events, every hour, and when an administrator asks for it.
 *
 * Source: docs/decisions/0079, docs/decisions/0084, docs/decisions/0087.
 */
export class ReconcileSchedule {
  readonly #work: RepeatedWork
  readonly #memory = new Map<string, HookMemory>()
  readonly #stop = new AbortController()
  #asked: Promise<unknown> = Promise.resolve()
  #running: ReconcileStatus['running'] = null

  /** Starts immediately. */
  constructor(private readonly parts: ReconcileScheduleParts) {
    this.#work = new RepeatedWork(signal => this.#repeat(signal), this.#wasAway() ? 0 : parts.pace.everyMs)
  }

  /** Abandons the run. The next run recognises the recorded events. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all([this.#work.stop(), this.#asked])
  }

  status(): Promise<ReconcileStatus> {
    return this.parts.reports.status({ hooks: this.parts.hooks, running: this.#running })
  }

  /** Begins a run that an administrator asks for. @throws AppError `conflict/reconcile_running`, `conflict/reconcile_off` */
  async start({
    source,
    dry_run,
    since_seconds = RECONCILE_LIMITS.defaultSinceSeconds,
  }: ReconcileStart): Promise<void> {
    const hooks = this.parts.hooks.filter(hook => source === undefined || hook.source === source)
    if (!this.#running && hooks.length === 0) throw reconcileOff(source)
    const run = this.#running ? undefined : await this.#begin(dry_run)
    if (!run) throw reconcileRunning()
    const { signal } = this.#stop
    this.#asked = run({ hooks, dry_run, since_seconds }, { signal }).catch(error => this.#logFailure(error, signal))
  }

  #wasAway(): boolean {
    const { headAtOpen, now } = this.parts
    return headAtOpen === null || now() - headAtOpen > SHORT_ABSENCE
  }

  /** @returns how long to wait before the next run, in milliseconds */
  async #repeat(signal: AbortSignal): Promise<number> {
    const { hooks, pace } = this.parts
    if (this.#running) return pace.retryMs
    const request = { hooks: [...hooks], since_seconds: RECONCILE_LIMITS.defaultSinceSeconds, dry_run: false }
    try {
      const run = await this.#begin(request.dry_run)
      if (!run) return pace.retryMs
      const reports = await run(request, { signal, memory: this.#memory })
      const waits = reports.map(({ error }) => error && Math.max((error.retryAfterSeconds ?? 0) * 1_000, pace.retryMs))
      return Math.min(pace.everyMs, ...waits.filter(wait => wait !== undefined))
    } catch (error) {
      this.#logFailure(error, signal)
      return pace.retryMs
    }
  }

  /** @returns the run, which must follow immediately; undefined while another server does it */
  async #begin(dry_run: boolean): Promise<Run | undefined> {
    const { leases, now } = this.parts
    const held = leases && (await holdLease(leases, RECONCILE_LEASE))
    if (leases && !held) return undefined
    const begun = beginRun(dry_run, toTimestamp(now()))
    this.#running = begun.running
    return (request, call) => this.#run(request, call, { held, ...begun })
  }

  async #run(request: ReconcileRequest, call: ReconcileCall, { held, running, note }: Begun): Promise<HookReport[]> {
    const { reconciliations, reports } = this.parts
    const work = async (signals: AbortSignal[]) => {
      const signal = AbortSignal.any([...(call.signal ? [call.signal] : []), ...signals])
      return (await reconciliations.run(request, { ...call, signal, onProgress: note })).hooks
    }
    try {
      const found = held ? await held.during(lost => reports.announce(running, () => work([lost]))) : await work([])
      for (const report of found) this.#log(report)
      return found
    } finally {
      this.#running = null
    }
  }

  #logFailure(error: unknown, signal: AbortSignal): void {
    const { logger } = this.parts
    if (signal.aborted) return
    if (error instanceof AppError) logger.error({ code: error.code, detail: error.message }, 'reconciling failed')
    else logger.error({ err: error }, 'reconciling failed')
  }

  #log({ lost, error, ...counts }: HookReport): void {
    const { logger } = this.parts
    if (error) logger.warn({ ...counts, code: error.code, detail: error.message }, 'deliveries could not be compared')
    // Logged only once: while the platform lists such deliveries, every run finds them again.
    else if (this.#memory.get(counts.url)?.hasNewlyGone) logger.warn({ ...counts, lost }, 'deliveries are lost')
    else if (counts.missing > 0) logger.warn({ ...counts, lost }, 'deliveries are missing')
    else logger.info(counts, 'compared the deliveries of a hook')
  }
}

function reconcileRunning(): AppError {
  const message =
    'Deliveries are being compared, by this server or another one of this ledger. Wait for the end of that run.'
  return new AppError('conflict', 'reconcile_running', message)
}

export function reconcileOff(source?: ListingSource): AppError {
  const what = source === undefined ? 'hook' : `hook of ${source}`
  return new AppError('conflict', 'reconcile_off', `This server compares no ${what} with its platform.`, {
    hint: 'Set EVENT_RECONCILE and name hooks in EVENT_RECONCILE_HOOKS_…',
  })
}
