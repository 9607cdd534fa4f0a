import type { Logger } from 'pino'
import { growingWait } from '../../../client/library/growing-wait.js'
import type { Ledger } from '../../../ledger/ledger.js'
import { AppError } from '../../../model/app-error.js'
import type { ChatAccount } from '../../../model/platforms/chat-account.js'
import type { LiveState, LiveStatus, LiveTotals } from '../../../model/subscriptions/live-capture.js'
import { type Micros, toTimestamp } from '../../../model/timestamp.js'
import type { ChatQueue, QueueApi, QueueEvents } from '../../../platforms/chat/capture/chat-api.js'
import { ChatApiClient } from '../../../platforms/chat/capture/chat-api-client.js'
import { RateLimitedChatApi } from '../../../platforms/chat/capture/rate-limited-chat-api.js'
import type { MultiServerStore } from '../../../store/multi-server-store.js'
import { holdLease } from '../../held-lease.js'
import { pause } from '../../pause.js'
import { RepeatedWork } from '../../repeated-work.js'
import type { Captures } from '../captures.js'
import { type BatchResult, LiveBatches } from './live-batches.js'

export interface LiveCaptureParts {
  ledger: Ledger
  captures: Captures
  chat: ChatAccount
  logger: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Wall clock in microseconds. */
  clock: () => Micros
  /** Absent where only this process has the ledger open. */
  leases?: MultiServerStore | undefined
  /** From 0 to 1. */
  random?: () => number
}

/** The lease of the server that reads the queue. */
const LEASE = 'chat queue'
/** Wait after a failure. Milliseconds. */
const RETRY_WAIT = { first: 1_000, last: 60_000 }
/** How often a server without the lease tries to get it. */
const STANDBY_MS = 5_000
/** Failures that a retry within a minute does not resolve. */
const SLOW_FAILURES = ['chat_credentials_refused', 'chat_not_permitted', 'chat_request_refused']
const SLOW_SECONDS = 60
/** For a queue whose server gave no timeout at registration. */
const DEFAULT_WAIT_SECONDS = 90

/**
 * Reads the event queue of a chat server until it is stopped, and records what happens in watched places. A queue
 * survives a restart of this program: the position in it is stored after each answer. If the chat server no longer has
 * the queue, a new one is registered, and every watch is captured.
 *
 * Source: docs/decisions/0081; Zulip API, "Real-time events".
 */
export class LiveCapture {
  readonly #work: RepeatedWork
  #failures = 0
  /** Has a connection of its own, because a request for events occupies it. */
  readonly #queueApi: ChatApiClient
  readonly #lookups: ChatApiClient
  readonly #batches: LiveBatches
  readonly #account: string
  readonly #totals: LiveTotals = { created: 0, duplicates: 0, registered: 0, lost: 0 }
  #status: LiveStatus
  /** The queue whose events this process reads. */
  #queue: ChatQueue | undefined
  /** The last failure that was logged. */
  #logged: string | undefined

  /** Starts immediately. */
  constructor(private readonly parts: LiveCaptureParts) {
    const { chat, clock } = parts
    this.#queueApi = new ChatApiClient(chat)
    this.#lookups = new ChatApiClient(chat)
    const api = new RateLimitedChatApi(this.#lookups, { sleep: pause })
    this.#batches = new LiveBatches({ ...parts, api, elapsed: () => performance.now() })
    this.#account = `${chat.site} ${chat.email}`
    this.#status = { state: 'starting', since: toTimestamp(clock()) }
    this.#work = new RepeatedWork(signal => this.#workOnce(signal))
  }

  status(): LiveStatus {
    return this.#status
  }

  totals(): LiveTotals {
    return this.#totals
  }

  /** Abandons events that are not recorded yet: the queue keeps them for the next reader. */
  async stop(): Promise<void> {
    await this.#work.stop()
    this.#queueApi.close()
    this.#lookups.close()
  }

  /** Reads until something fails. @returns how long to wait before the next time, in milliseconds */
  async #workOnce(signal: AbortSignal): Promise<number> {
    try {
      const { leases } = this.parts
      if (!leases) return await this.#read(signal, () => Promise.resolve(true))
      const held = await holdLease(leases, LEASE)
      if (!held) return this.#standBy()
      return await held.during(() => this.#read(signal, held.renew))
    } catch (error) {
      if (signal.aborted) return 0
      return this.#fail(error)
    }
  }

  #standBy(): number {
    this.#queue = undefined
    this.#enter('standby')
    return STANDBY_MS
  }

  /** @returns once another server has the lease. @throws AppError as `QueueApi`, `LiveBatches` */
  async #read(signal: AbortSignal, isOwn: () => Promise<boolean>): Promise<number> {
    const { queue, pending } = await this.#open(signal)
    this.#enter('catching_up')
    const caughtUp = await this.#batches.catchUp(signal)
    // Events that were sent before this process began, or before a failure, may be recorded already.
    let isRepeated = true
    let answer: QueueEvents | undefined = pending
    for (;;) {
      if (answer) {
        const options = { queueId: queue.id, isRepeated, signal }
        this.#count(await this.#batches.record(answer.events, options))
        if (answer.lastEventId !== queue.lastEventId) await this.#save({ ...queue, lastEventId: answer.lastEventId })
        queue.lastEventId = answer.lastEventId
      }
      this.#succeed(caughtUp)
      const missed = await this.#batches.readMissed(signal)
      this.#totals.created += missed.recorded
      // The queue may report the same changes in its next answer, but not in later ones.
      isRepeated = (isRepeated && !answer) || missed.recorded > 0
      answer = await this.#queueApi.queueEvents(queue, { isWaiting: !missed.isLeft }, signal)
      if (!(await isOwn())) return this.#standBy()
      this.#failures = 0
    }
  }

  /** The previous queue, if the chat server still has it; else a new one. */
  async #open(signal: AbortSignal): Promise<{ queue: ChatQueue; pending?: QueueEvents }> {
    const before = await this.#findQueue()
    if (before) {
      try {
        const pending = await (this.#queueApi as QueueApi).queueEvents(before, { isWaiting: false }, signal)
        if (this.#queue?.id !== before.id) this.#batches.reset(before.id)
        this.#queue = before
        return { queue: before, pending }
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'chat_queue_lost') throw error
        this.#noteLost(error)
      }
    }
    const queue = await this.#queueApi.registerQueue(signal)
    this.#totals.registered++
    this.#batches.reset(queue.id)
    this.#queue = queue
    await this.#save(queue)
    return { queue }
  }

  /** The stored position is the newest one, even if another server has read the queue since. */
  async #findQueue(): Promise<ChatQueue | undefined> {
    const mark = await this.parts.ledger.findQueueMark()
    if (!mark || mark.account !== this.#account) return undefined
    const { queue_id: id, last_event_id: lastEventId } = mark
    const waitSeconds = this.#queue?.id === id ? this.#queue.waitSeconds : DEFAULT_WAIT_SECONDS
    return { id, lastEventId, waitSeconds }
  }

  #save({ id, lastEventId }: ChatQueue): Promise<void> {
    return this.parts.ledger.saveQueueMark({ account: this.#account, queue_id: id, last_event_id: lastEventId })
  }

  #count({ created, duplicates }: BatchResult): void {
    this.#totals.created += created
    this.#totals.duplicates += duplicates
  }

  #succeed(caughtUp: number): void {
    if (this.#status.state === 'live') return
    const { site } = this.parts.chat
    const about = { site, caught_up: caughtUp }
    this.parts.logger.info(about, this.#logged ? 'chat events are live again' : 'chat events are live')
    this.#logged = undefined
    this.#enter('live')
  }

  #noteLost({ code, message }: AppError): void {
    this.#totals.lost++
    this.#logged = code
    this.parts.logger.warn({ code, detail: message }, 'the event queue is lost: capture reads what it missed')
  }

  /** @returns how long to wait, in milliseconds */
  #fail(error: unknown): number {
    const { logger } = this.parts
    const code = error instanceof AppError ? error.code : 'internal'
    // `#open` reports a lost queue after it has asked again.
    if (code !== 'chat_queue_lost' && this.#logged !== code) {
      this.#totals.lost += this.#logged === undefined ? 1 : 0
      this.#logged = code
      if (error instanceof AppError) logger.warn({ code, detail: error.message }, 'chat events cannot be read')
      else logger.error({ err: error }, 'chat events cannot be read')
    }
    this.#enter('lost', code)
    const asked = error instanceof AppError ? (error.retryAfterSeconds ?? 0) : 0
    const leastSeconds = Math.max(asked, SLOW_FAILURES.includes(code) ? SLOW_SECONDS : 0)
    return Math.max(leastSeconds * 1_000, growingWait(++this.#failures, RETRY_WAIT, this.parts.random))
  }

  #enter(state: LiveState, code?: string): void {
    const isSame = this.#status.state === state && this.#status.code === code
    if (isSame) return
    const since = this.#status.state === state ? this.#status.since : toTimestamp(this.parts.clock())
    this.#status = { state, since, ...(code === undefined ? {} : { code }) }
  }
}
