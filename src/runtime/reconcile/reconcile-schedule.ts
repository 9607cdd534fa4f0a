import type { Logger } from 'pino'
import { AppError } from '../../model/app-error.js'
import {
  type HookReport,
  type ListedHook,
  type ListingSource,
  RECONCILE_LIMITS,
  type ReconcileProgress,
  type ReconcileRequest,
  type ReconcileStart,
  type ReconcileStatus,
} from '../../model/platforms/reconciliation.js'
import { type Micros, toTimestamp } from '../../model/timestamp.js'
import type { SharedStore } from '../../store/shared-store.js'
import { holdLease } from '../held-lease.js'
import { RepeatedWork } from '../repeated-work.js'
import type { HookMemory } from './hook-run.js'
import type { ReconcileCall, Reconciliations } from './reconciliations.js'

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
 * Finds and fetches missed deliveries after a start that follows more than a minute without events, every hour, and when
 * an administrator asks for it, until it is stopped.
 *
 * Source: docs/decisions/0079, docs/decisions/0084.
 */
export class ReconcileSchedule {
  readonly #work: RepeatedWork
  readonly #memory = new Map<string, HookMemory>()
  readonly #stop = new AbortController()
  #asked: Promise<unknown> = Promise.resolve()
  #running: ReconcileStatus['running'] = null
  #last: ReconcileStatus['last'] = null

  /** Starts immediately. */
  constructor(private readonly parts: ReconcileScheduleParts) {
    this.#work = new RepeatedWork(signal => this.#repeat(signal), this.#wasAway() ? 0 : parts.pace.everyMs)
  }

  /** Abandons the run; the next one continues from what is recorded. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all([this.#work.stop(), this.#asked])
  }

  status(): ReconcileStatus {
    const hooks = this.parts.hooks.map(({ source, url }) => ({ source, url }))
    return { hooks, running: this.#running, last: this.#last }
  }

  /** Begins a run that an administrator asks for. @throws AppError `conflict/reconcile_running`, `conflict/reconcile_off` */
  start({ source, dry_run, since_seconds = RECONCILE_LIMITS.defaultSinceSeconds }: ReconcileStart): void {
    if (this.#running)
      throw new AppError(
        'conflict',
        'reconcile_running',
        'Deliveries are being compared. Wait for the end of that run.',
      )
    const hooks = this.parts.hooks.filter(hook => source === undefined || hook.source === source)
    if (hooks.length === 0) throw reconcileOff(source)
    const { signal } = this.#stop
    this.#asked = this.#run({ hooks, dry_run, since_seconds }, { signal }).catch(error =>
      this.#logFailure(error, signal),
    )
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
      const reports = await this.#run(request, { signal, memory: this.#memory })
      if (reports === undefined) return pace.retryMs
      const waits = reports.map(({ error }) => error && Math.max((error.retryAfterSeconds ?? 0) * 1_000, pace.retryMs))
      return Math.min(pace.everyMs, ...waits.filter(wait => wait !== undefined))
    } catch (error) {
      this.#logFailure(error, signal)
      return pace.retryMs
    }
  }

  /** @returns undefined while another server does it */
  async #run(request: ReconcileRequest, call: ReconcileCall): Promise<HookReport[] | undefined> {
    const { reconciliations, leases, now } = this.parts
    const { dry_run, since_seconds } = request
    const end = (hooks: readonly HookReport[], problem?: Pick<AppError, 'code' | 'message'>) => {
      const shown = hooks.map(({ error, ...hook }) => (error ? { ...hook, error: shownProblem(error) } : hook))
      const failed = problem ? { problem: shownProblem(problem) } : {}
      this.#last = { at: toTimestamp(now()), dry_run, since_seconds, hooks: shown, ...failed }
    }
    const running = { since: toTimestamp(now()), dry_run, listed: 0 }
    this.#running = running
    const listed = new Map<string, number>()
    const onProgress = (progress: ReconcileProgress) => {
      listed.set(progress.url, progress.listed)
      running.listed = [...listed.values()].reduce((sum, count) => sum + count)
    }
    const work = async () => (await reconciliations.run(request, { ...call, onProgress })).hooks
    try {
      const held = leases && (await holdLease(leases, LEASE))
      if (leases && !held) {
        // What the schedule skips is no news: the other server reports it.
        if (!call.memory) end([], { code: 'busy', message: 'Another server of this ledger compares at present.' })
        return undefined
      }
      const reports = await (held ? held.during(work) : work())
      end(reports)
      for (const report of reports) this.#log(report)
      return reports
    } catch (error) {
      end(
        [],
        error instanceof AppError ? error : { code: 'internal', message: 'The server failed; its log has the reason.' },
      )
      throw error
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
    // While the platform lists them, every run finds them again.
    else if (this.#memory.get(counts.url)?.hasNewlyGone) logger.warn({ ...counts, lost }, 'deliveries are lost')
    else if (counts.missing > 0) logger.warn({ ...counts, lost }, 'deliveries are missing')
    else logger.info(counts, 'compared the deliveries of a hook')
  }
}

export function reconcileOff(source?: ListingSource): AppError {
  const what = source === undefined ? 'hook' : `hook of ${source}`
  return new AppError('conflict', 'reconcile_off', `This server compares no ${what} with its platform.`, {
    hint: 'Set EVENT_RECONCILE and name hooks in EVENT_RECONCILE_HOOKS_…',
  })
}

function shownProblem({ code, message }: Pick<AppError, 'code' | 'message'>): { code: string; detail: string } {
  return { code, detail: message }
}
