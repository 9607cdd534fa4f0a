import { basename } from 'node:path'
import type { Logger } from 'pino'
import type { Ledger } from '../../ledger/ledger.js'
import { AppError } from '../../model/app-error.js'
import { counted } from '../../model/counted.js'
import { LEDGER_SOURCE } from '../../model/events/erasure.js'
import { type Micros, toTimestamp } from '../../model/timestamp.js'
import type { RetentionSettings } from '../../settings/ledger-settings.js'
import type { MultiServerStore } from '../../store/multi-server-store.js'
import { holdLease } from '../held-lease.js'
import { RepeatedWork } from '../repeated-work.js'
import { type Archive, archiveEvents } from './archive-events.js'

const DAY: Micros = 86_400_000_000
/** How often to look for events that are old enough. */
const EVERY_MS = 60 * 60_000
const RETRY_MS = 5 * 60_000
/** Events per archive file. */
const EVENTS_AT_ONCE = 100_000
const BY = 'retention'
const LEASE = 'retention'

interface RetentionParts {
  settings: RetentionSettings
  ledger: Pick<Ledger, 'query' | 'histogram' | 'stats' | 'erasures'>
  logger: Pick<Logger, 'info' | 'error'>
  now: () => Micros
  /** Leases of servers that share the ledger: only the holder prunes. */
  leases?: Pick<MultiServerStore, 'acquireLease' | 'renewLease' | 'releaseLease'> | undefined
}

/**
 * Archives and removes events that are older than the settings keep, until it is stopped.
 *
 * Source: docs/decisions/0055.
 */
export class RetentionSchedule {
  readonly #work: RepeatedWork

  /** Starts immediately. */
  constructor(private readonly parts: RetentionParts) {
    this.#work = new RepeatedWork(signal => this.#pruneAll(signal))
  }

  stop(): Promise<void> {
    return this.#work.stop()
  }

  /** @returns how long to wait, in milliseconds */
  async #pruneAll(signal: AbortSignal): Promise<number> {
    const { logger, leases } = this.parts
    const prune = async () => {
      while (await this.#pruneSome(signal)) signal.throwIfAborted()
      return EVERY_MS
    }
    try {
      if (!leases) return await prune()
      const held = await holdLease(leases, LEASE)
      return held ? await held.during(prune) : RETRY_MS
    } catch (error) {
      if (signal.aborted) return 0
      if (error instanceof AppError) logger.error({ code: error.code, detail: error.message }, 'retention failed')
      else logger.error({ err: error }, 'retention failed')
      return RETRY_MS
    }
  }

  /** @returns whether there may be more */
  async #pruneSome(signal: AbortSignal): Promise<boolean> {
    const { settings, ledger, logger, now } = this.parts
    const query: Ledger['query'] = (wanted, stopped) => ledger.query(wanted, stopped)
    const to = now() - settings.days * DAY
    // Oldest first, because the newest page may come from a replica that still has removed events.
    const { earliest, prunedThrough: since } = await ledger.query({ order: 'asc', limit: 1, maxBytes: 0 }, signal)
    if (earliest === null || earliest > to) return false
    const entries = (await ledger.stats()).by_source[LEDGER_SOURCE]?.events ?? 0
    const found = settings.archive
      ? await archiveEvents(settings.archive, { since, first: earliest, to, limit: EVENTS_AT_ONCE }, query, signal)
      : await this.#allUpTo(to, since, signal)
    if (!found) return false
    const { events, through, path } = found
    const reason = `older than ${counted(settings.days, 'day')}`
    const archived = path === undefined ? {} : { archive: basename(path) }
    const payload = { reason, by: BY, count: events, ...archived }
    try {
      await ledger.erasures.prune(through, payload, path === undefined ? undefined : entries)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'erased_meanwhile') throw error
      logger.info({ code: error.code, ...archived }, 'events were erased meanwhile, so the archive is written again')
      return true
    }
    logger.info({ events, through: toTimestamp(through), ...archived }, 'removed old events')
    return events === EVENTS_AT_ONCE
  }

  /** @param since the newest removed event */
  async #allUpTo(
    to: Micros,
    since: Micros | null,
    signal: AbortSignal,
  ): Promise<(Omit<Archive, 'path'> & { path?: never }) | undefined> {
    const { ledger } = this.parts
    const after = { since: since ?? 0 }
    const { latestCapturedAt } = await ledger.query(
      { ...after, to, order: 'desc', limit: 1, withoutPayload: true },
      signal,
    )
    if (latestCapturedAt === null) return undefined
    const { count } = await ledger.histogram({ ...after, to: latestCapturedAt, buckets: 1 }, signal)
    return { events: count, through: latestCapturedAt }
  }
}
