import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { FeedLane } from '../../ledger/feed-queue.js'
import type { FeedReport, Feeds } from '../../ledger/feeds.js'
import { AppError } from '../../model/app-error.js'
import type { MultiServerStore } from '../../store/multi-server-store.js'
import { holdLease } from '../held-lease.js'
import { RepeatedWork } from '../repeated-work.js'

const LEASE = 'feeds'
/** Feeds of each lane that are read at the same time. */
const READERS: Readonly<Record<FeedLane, number>> = { quick: 4, slow: 2 }

interface FeedScheduleParts {
  feeds: Pick<Feeds, 'readDue'>
  logger: Pick<Logger, 'info' | 'warn' | 'error'>
  /** How often to check for due feeds. No feed is due more often. */
  checkMs: number
  /** Leases of servers that share the ledger: only the holder reads feeds. */
  leases?: Pick<MultiServerStore, 'acquireLease' | 'renewLease' | 'releaseLease'> | undefined
}

/**
 * Reads the feeds that are due, until it is stopped.
 *
 * Source: docs/decisions/0086, 0088.
 */
export class FeedSchedule {
  readonly #work: RepeatedWork
  /** The last failure of each feed. The empty name stands for the schedule. */
  readonly #failures = new Map<string, string>()

  /** Starts immediately. */
  constructor(private readonly parts: FeedScheduleParts) {
    this.#work = new RepeatedWork(signal => this.#workOnce(signal))
  }

  /** Abandons entries that are not recorded yet. They are read again. */
  stop(): Promise<void> {
    return this.#work.stop()
  }

  /** @returns how long to wait before the next time, in milliseconds */
  async #workOnce(signal: AbortSignal): Promise<number> {
    const { leases, checkMs } = this.parts
    try {
      if (!leases) await this.#read(async () => true, signal)
      else {
        const held = await holdLease(leases, LEASE)
        await held?.during(() => this.#read(held.renew, signal))
      }
    } catch (error) {
      if (!signal.aborted) this.#logChange('', error)
    }
    return checkMs
  }

  /** Reads feeds while this server has the lease. */
  async #read(isStillOurs: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
    const reader = async (lane: FeedLane) => {
      while (!signal.aborted) {
        try {
          if (!(await isStillOurs())) return
          await this.parts.feeds.readDue(lane, report => this.#report(report), signal)
          this.#logChange('', undefined)
        } catch (error) {
          if (!signal.aborted) this.#logChange('', error)
        }
        await sleep(this.parts.checkMs, undefined, { signal }).catch(() => undefined) // aborted by `stop`
      }
    }
    const lanes = (['quick', 'slow'] as const).flatMap(lane => Array.from({ length: READERS[lane] }, () => lane))
    await Promise.all(lanes.map(reader))
  }

  #report({ source, outcome, error }: FeedReport): void {
    this.#logChange(source, error)
    if (outcome && outcome.created > 0) this.parts.logger.info({ source, ...outcome }, 'read a feed')
  }

  /** Logs only changes, because the same failure recurs. Bounded by the number of sources that have failed. */
  #logChange(source: string, error: unknown): void {
    const { logger } = this.parts
    const failure = error === undefined ? undefined : error instanceof AppError ? error.code : String(error)
    if (this.#failures.get(source) === failure) return
    const about = source === '' ? {} : { source }
    if (failure === undefined) {
      this.#failures.delete(source)
      logger.info(about, 'feeds can be read again')
      return
    }
    this.#failures.set(source, failure)
    if (error instanceof AppError)
      logger.warn({ ...about, code: error.code, detail: error.message }, 'a feed cannot be read')
    else logger.error({ ...about, err: error }, 'a feed cannot be read')
  }
}
