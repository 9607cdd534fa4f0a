import type { Logger } from 'pino'
import type { Ledger } from '../../ledger/ledger.js'
import { toHeadText } from '../../ledger/transfer/page-line.js'
import { AppError } from '../../model/app-error.js'
import {
  FOLLOW_PACE,
  type FollowMark,
  type FollowStatus,
  type PromotedLedger,
  type Promotion,
  type PromotionInput,
} from '../../model/follow.js'
import type { CopyPageLine } from '../../model/ledger-copy.js'
import { type Micros, readTimestamp, toTimestamp } from '../../model/timestamp.js'
import type { ServedFollowing } from '../../server/ledger/follow-routes.js'
import type { FollowSettings } from '../../settings/follow-settings.js'
import { type LedgerState, notFollowing } from '../../store/copy-store.js'
import type { LedgerHead } from '../../store/event-store.js'
import type { Store } from '../../store/store.js'
import { Leader, type LeaderPage, type LeaderState } from './leader.js'
import { promoteStore } from './promote-store.js'

interface FollowerParts {
  ledger: Pick<Ledger, 'noticeCopies' | 'endFollowing'>
  store: Store
  settings: FollowSettings
  logger: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Wall clock. */
  now: () => Micros
  /** Milliseconds of a clock that only advances, even if the wall clock is set. */
  elapsed: () => number
  /** Waits `ms` milliseconds, or until `signal` aborts. */
  pause: (ms: number, signal: AbortSignal) => Promise<void>
  /** Called after the promotion: the ledger records events itself from now on. */
  onPromoted: () => void
}

/** A leader that answered so recently counts as in step. */
const IN_STEP_MS = 3_000
const LONGEST_PAUSE_MS = 5_000
/** The leader is another ledger, and only the operator can decide what to do. */
const FINAL_CODES: readonly string[] = ['leader_changed', 'copy_differs']

/**
 * Keeps a ledger in step with another one over its REST API: polls for events and changes each second, and for the rest
 * every ten seconds. Its position is stored with the events, so it continues after every interruption.
 *
 * Source: docs/decisions/0061.
 */
export class Follower implements ServedFollowing {
  readonly #leader: Leader
  #mark: FollowMark
  #head: LedgerHead | null
  #eventsLeft: number | null = null
  /** Milliseconds of `elapsed`. */
  #inStepAt: number
  #stateAt = Number.NEGATIVE_INFINITY
  #stateDigest: string | undefined
  /** State to store after all events up to it: subscriptions and consumers must not be ahead of the events. */
  #waitingState: LeaderState | undefined
  #contactAt: Micros | undefined
  #problem: string | undefined
  #isStopped = false
  #isPromoting = false
  #promotion: Promotion | undefined
  #running: { stop: AbortController; ended: Promise<void> } | undefined

  private constructor(
    private readonly parts: FollowerParts,
    known: { mark: FollowMark; head: LedgerHead | null; epoch: string },
  ) {
    this.#leader = new Leader(parts.settings)
    this.#inStepAt = parts.elapsed()
    this.#mark = known.mark
    this.#head = known.head
    this.epoch = known.epoch
  }

  private readonly epoch: string

  /**
   * Prepares a ledger that follows: a new one first receives the accounts of the leader, so that it is never open.
   *
   * @returns undefined for a ledger that was promoted
   * @throws AppError `conflict/ledger_not_empty`; as `LedgerClient` if a new one cannot reach the leader
   */
  static async begin(parts: FollowerParts): Promise<Follower | undefined> {
    const { store, settings, logger } = parts
    const { mark: stored, promotion } = await store.copies.findFollow()
    if (!stored && promotion) {
      const facts = { leader: settings.leader, promoted_at: promotion.at }
      logger.warn(facts, 'this ledger was promoted and follows no other one: EVENT_FOLLOW has no effect, remove it')
      return undefined
    }
    const mark = stored ?? (await beginNew(parts))
    const { head, epoch } = await store.events.health()
    return new Follower(parts, { mark, head, epoch })
  }

  start(): void {
    const stop = new AbortController()
    this.#running = { stop, ended: this.#run(stop.signal) }
  }

  /** Finishes the page that is being stored. */
  async stop(): Promise<void> {
    this.#running?.stop.abort()
    await this.#running?.ended
    this.#leader.close()
  }

  status(): FollowStatus | undefined {
    if (this.#promotion) return undefined
    const age = this.parts.elapsed() - this.#inStepAt
    return {
      leader: this.parts.settings.leader,
      state: this.#state,
      lag_events: this.#eventsLeft,
      lag_seconds: age < IN_STEP_MS ? 0 : Math.floor(age / 1000),
      last_contact_at: this.#contactAt === undefined ? null : toTimestamp(this.#contactAt),
      ...(this.#problem === undefined ? {} : { problem: this.#problem }),
    }
  }

  async promotion(): Promise<Promotion | undefined> {
    return this.#promotion
  }

  async promote(input: PromotionInput): Promise<PromotedLedger> {
    if (this.#isPromoting || this.#promotion) throw notFollowing()
    this.#isPromoting = true
    try {
      return await this.#promote(input)
    } finally {
      this.#isPromoting = false
    }
  }

  async #promote(input: PromotionInput): Promise<PromotedLedger> {
    const { store, ledger, settings, logger, now, onPromoted } = this.parts
    const promoted = await promoteStore(store, {
      leader: settings.leader,
      now: now(),
      ...input,
      stopCopying: () => this.stop(),
    }).catch(error => {
      if (this.#running?.stop.signal.aborted) this.start()
      throw error
    })
    this.#promotion = (await store.copies.findFollow()).promotion ?? undefined
    await ledger.endFollowing()
    logger.info(promoted, 'this ledger follows no other one any more: it accepts events')
    onPromoted()
    return promoted
  }

  get #state(): FollowStatus['state'] {
    if (this.#isStopped) return 'stopped'
    if (this.#problem !== undefined) return 'unreachable'
    return this.#eventsLeft === 0 ? 'in_step' : 'copying'
  }

  async #run(signal: AbortSignal): Promise<void> {
    let failures = 0
    while (!signal.aborted && !this.#isStopped) {
      let pauseMs: number = FOLLOW_PACE.eventsMs
      try {
        const hasMore = await this.#copy(signal)
        if (failures > 0) this.parts.logger.info({ leader: this.parts.settings.leader }, 'the leader answers again')
        failures = 0
        this.#problem = undefined
        if (hasMore) pauseMs = 0
      } catch (error) {
        if (signal.aborted) return
        if (this.#note(error, failures)) return
        pauseMs = Math.min(LONGEST_PAUSE_MS, FOLLOW_PACE.eventsMs * 2 ** failures++)
      }
      if (pauseMs > 0) await this.parts.pause(pauseMs, signal)
    }
  }

  /** @returns whether there is more to copy */
  async #copy(signal: AbortSignal): Promise<boolean> {
    if (this.parts.elapsed() - this.#stateAt > FOLLOW_PACE.stateMs) await this.#fetchState(signal)
    const since = toHeadText(this.#head)?.captured_at
    const page = await this.#leader.page({ ...(since ? { since } : {}), changes: this.#mark.changes }, signal)
    const { line } = page
    this.#contactAt = this.parts.now()
    if (line.epoch !== this.epoch) throw leaderChanged('It has another epoch: it was restored or replaced.')
    if (line.numbering !== this.#mark.numbering) {
      // Another copy of the same ledger answers, and numbers the changes differently, so all changes are read again.
      this.#mark = { ...this.#mark, changes: 0, numbering: line.numbering }
      return true
    }
    await this.#store(page)
    this.#eventsLeft = line.events_left
    if (line.has_more) return true
    this.#inStepAt = this.parts.elapsed()
    await this.#storeState()
    return false
  }

  async #store({ appended, changed, line }: LeaderPage): Promise<void> {
    const through = line.through && {
      capturedAt: readTimestamp('through', line.through.captured_at).micros,
      digest: line.through.digest,
    }
    if (appended.length === 0) this.#refuseOther(line)
    if (appended.length + changed.length === 0) return
    const { leader } = this.parts.settings
    const head = line.head === null ? null : readTimestamp('head', line.head).micros
    const mark = { leader, changes: line.changes, numbering: line.numbering, head }
    this.#head = await this.parts.store.copies.write({
      appended,
      changed,
      mark,
      through: appended.length > 0 ? through : null,
    })
    this.#mark = mark
    if (appended.length > 0) this.parts.ledger.noticeCopies()
  }

  /** For a leader without later events: refuses it unless its newest event equals ours. */
  #refuseOther({ through }: CopyPageLine): void {
    const own = toHeadText(this.#head)
    const isSame = own?.captured_at === through?.captured_at
    if (isSame && (!own?.digest || !through?.digest || own.digest === through.digest)) return
    throw leaderChanged('Its events are not the beginning of the events that this ledger has copied.')
  }

  async #fetchState(signal: AbortSignal): Promise<void> {
    const found = await this.#leader.state(this.#stateDigest, signal)
    this.#stateAt = this.parts.elapsed()
    if (!found) return
    await this.parts.store.copies.writeState(accountsOf(found.state))
    this.#waitingState = found
  }

  async #storeState(): Promise<void> {
    const waiting = this.#waitingState
    if (!waiting) return
    await this.parts.store.copies.writeState(waiting.state)
    this.#stateDigest = waiting.digest
    this.#waitingState = undefined
  }

  /** @returns whether copying has ended */
  #note(error: unknown, failures: number): boolean {
    const { logger, settings } = this.parts
    const { leader } = settings
    this.#problem = describe(error, leader)
    if (error instanceof AppError && FINAL_CODES.includes(error.code)) {
      this.#isStopped = true
      logger.error({ leader, code: error.code, detail: this.#problem }, 'nothing more is copied from the leader')
    } else if (!(error instanceof AppError)) {
      logger.error({ err: error, leader }, 'a page of the leader could not be copied')
    } else if (failures === 0) {
      logger.warn({ leader, code: error.code, detail: this.#problem }, 'the leader cannot be read')
    }
    return this.#isStopped
  }
}

/** Prepares a new ledger. @returns its start position */
async function beginNew({ store, settings }: FollowerParts): Promise<FollowMark> {
  const { event_count, subscription_count } = await store.events.stats()
  if (event_count > 0 || subscription_count > 0 || (await store.users.isClosed())) throw notEmpty(settings.leader)
  const leader = new Leader(settings)
  const { signal } = new AbortController()
  try {
    const { line } = await leader.page({ limit: 1 }, signal)
    const found = await leader.state(undefined, signal)
    if (!found) throw new Error('The leader sent no state.')
    const { changes, numbering, epoch } = line
    const mark: FollowMark = { leader: settings.leader, changes, numbering, head: null }
    await store.copies.beginFollow(mark, epoch, accountsOf(found.state))
    return mark
  } finally {
    leader.close()
  }
}

function accountsOf({ closed, users, tokens }: LedgerState): Partial<LedgerState> {
  return { closed, users, tokens }
}

function describe(error: unknown, leader: string): string {
  if (!(error instanceof AppError)) return 'A page could not be copied because of a defect: see the log.'
  if (error.category === 'unauthenticated' || error.category === 'forbidden') {
    return `${leader} does not accept EVENT_FOLLOW_TOKEN as that of an admin.`
  }
  return error.message
}

function leaderChanged(reason: string): AppError {
  return new AppError('conflict', 'leader_changed', `The leader is not the ledger that this one follows. ${reason}`, {
    hint: 'Compare the two. Then either promote this one, or remove its files and follow the leader from the beginning.',
  })
}

function notEmpty(leader: string): AppError {
  const detail = `This ledger has events, subscriptions or users of its own, so it cannot follow ${leader}.`
  return new AppError('conflict', 'ledger_not_empty', detail, { hint: 'Name a new file with --db or EVENT_DB.' })
}
