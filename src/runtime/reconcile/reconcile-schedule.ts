import type { Logger } from 'pino'
import { AppError } from '../../model/app-error.js'
import { type HookReport, type ListedHook, RECONCILE_LIMITS } from '../../model/platforms/reconciliation.js'
import type { Micros } from '../../model/timestamp.js'
import type { SharedStore } from '../../store/shared-store.js'
import { holdLease } from '../held-lease.js'
import { RepeatedWork } from '../repeated-work.js'
import type { HookMemory } from './hook-run.js'
import type { Reconciliations } from './reconciliations.js'

/** How often it runs. */
export const RECONCILE_PACE: ReconcilePace = { everyMs: 60 * 60_000, retryMs: 5 * 60_000 }

export interface ReconcilePace {
  everyMs: number
  /** After a platform could not be read, or while another server reconciles. */
  retryMs: number
}

/** A server that was away for less has missed nothing that the platform does not send again soon. */
const SHORT_ABSENCE: Micros = 60_000_000
const LEASE = 'reconcile'

export interface ReconcileScheduleParts {
  reconciliations: Pick<Reconciliations, 'run'>
  hooks: readonly ListedHook[]
  logger: Pick<Logger, 'info' | 'warn' | 'error'>
  /** The newest event when the ledger was opened: nothing was received since. Null if there is none. */
  headAtOpen: Micros | null
  now: () => Micros
  pace: ReconcilePace
  /** Of servers that share the ledger: one of them does it at a time. */
  leases?: Pick<SharedStore, 'acquireLease' | 'renewLease' | 'releaseLease'> | undefined
}

/**
 * Finds and fetches missed deliveries after a start that follows more than a minute without events, and every hour, until
 * it is stopped.
 *
 * Source: docs/decisions/0079.
 */
export class ReconcileSchedule {
  readonly #work: RepeatedWork
  readonly #memory = new Map<string, HookMemory>()

  /** Starts immediately. */
  constructor(private readonly parts: ReconcileScheduleParts) {
    this.#work = new RepeatedWork(signal => this.#reconcile(signal), this.#wasAway() ? 0 : parts.pace.everyMs)
  }

  /** Abandons the run; the next one continues from what is recorded. */
  stop(): Promise<void> {
    return this.#work.stop()
  }

  #wasAway(): boolean {
    const { headAtOpen, now } = this.parts
    return headAtOpen === null || now() - headAtOpen > SHORT_ABSENCE
  }

  /** @returns how long to wait before the next run, in milliseconds */
  async #reconcile(signal: AbortSignal): Promise<number> {
    const { leases, logger, pace } = this.parts
    try {
      if (!leases) return await this.#run(signal)
      const held = await holdLease(leases, LEASE)
      return held ? await held.during(() => this.#run(signal)) : pace.retryMs
    } catch (error) {
      if (signal.aborted) return 0
      if (error instanceof AppError) logger.error({ code: error.code, detail: error.message }, 'reconciling failed')
      else logger.error({ err: error }, 'reconciling failed')
      return pace.retryMs
    }
  }

  async #run(signal: AbortSignal): Promise<number> {
    const { reconciliations, hooks, pace } = this.parts
    const request = { hooks: [...hooks], since_seconds: RECONCILE_LIMITS.defaultSinceSeconds, dry_run: false }
    const result = await reconciliations.run(request, { signal, memory: this.#memory })
    for (const report of result.hooks) this.#log(report)
    const waits = result.hooks.map(
      ({ error }) => error && Math.max((error.retryAfterSeconds ?? 0) * 1_000, pace.retryMs),
    )
    return Math.min(pace.everyMs, ...waits.filter(wait => wait !== undefined))
  }

  #log({ lost, error, ...counts }: HookReport): void {
    const { logger } = this.parts
    if (error) logger.warn({ ...counts, code: error.code, detail: error.message }, 'deliveries could not be compared')
    // While the platform lists them, every run finds them again.
    else if (this.#memory.get(counts.url)?.hasNewlyGone) logger.warn({ ...counts, lost }, 'deliveries are lost')
    else if (counts.missing > 0) logger.warn({ ...counts, lost }, 'deliveries are missing')
    else logger.info(counts, 'compared the deliveries of a hook')
  }
}
