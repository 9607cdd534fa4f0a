import type { Logger } from 'pino'
import { AppError } from '../../model/app-error.js'
import type { ChatAccount } from '../../model/platforms/chat-account.js'
import type { RestAccount } from '../../model/platforms/history.js'
import { CAPTURE_LIMITS, type CaptureResult, type PollReport } from '../../model/subscriptions/capture.js'
import { RepeatedWork } from '../repeated-work.js'
import type { Captures } from './captures.js'

/** How long to pause after a failure that affects every watch. */
const PAUSE_SECONDS = 15
const NOTHING_LEFT_OUT = '[[],[]]'

export interface CaptureScheduleParts {
  captures: Pick<Captures, 'run' | 'runAlone'>
  /** Account of one platform: each has its own schedule, so that a slow or failing platform does not delay the others. */
  account: ChatAccount | RestAccount
  logger: Pick<Logger, 'info' | 'warn' | 'error'>
  /** How often to check for due watches. */
  checkMs: number
}

/** Captures the due watches of one platform, one at a time, until it is stopped. */
export class CaptureSchedule {
  readonly #work: RepeatedWork
  /** The last failure of each watch. The empty id stands for the check for due watches. */
  readonly #failures = new Map<string, string>()
  /** What the last poll of each watch left out. */
  readonly #leftOut = new Map<string, string>()

  /** Starts immediately. */
  constructor(private readonly parts: CaptureScheduleParts) {
    this.#work = new RepeatedWork(signal => this.#captureDue(signal))
  }

  /** Abandons messages that are not recorded yet. The next capture continues after the recorded ones. */
  stop(): Promise<void> {
    return this.#work.stop()
  }

  /** @returns how long to wait before the next check, in milliseconds */
  async #captureDue(signal: AbortSignal): Promise<number> {
    const { captures, account } = this.parts
    const isChat = !('source' in account)
    const accounts = isChat ? { chat: account } : { platforms: [account] }
    try {
      const round = () => captures.run({ backfill: CAPTURE_LIMITS.defaultBackfill, ...accounts }, { signal })
      const result = await captures.runAlone(isChat ? 'chat' : account.source, round)
      this.#logChange('', undefined)
      return result ? this.#report(result) : this.parts.checkMs
    } catch (error) {
      if (signal.aborted) return 0
      this.#logChange('', error)
      return PAUSE_SECONDS * 1000
    }
  }

  #report({ captures, left }: CaptureResult): number {
    const { logger } = this.parts
    for (const { subscription_id, error, messages, created, previous_host, renamed_to, polled } of captures) {
      this.#logChange(subscription_id, error && new AppError(error.category, error.code, error.message))
      if (previous_host)
        logger.warn({ subscription_id, previous_host }, 'another server: capture starts from the beginning')
      if (renamed_to) logger.info({ subscription_id, renamed_to }, 'the watched topic or stream was renamed')
      if (polled && !error) this.#logLeftOut(subscription_id, polled)
      if (messages > 0) logger.info({ subscription_id, messages, created }, 'captured')
    }
    const last = captures.at(-1)?.error
    return left > 0 && last ? Math.max(last.retryAfterSeconds ?? 0, PAUSE_SECONDS) * 1000 : this.parts.checkMs
  }

  /** Logs the same report only once, because every poll reads the same lists and items. */
  #logLeftOut(subscription_id: string, { unavailable, left_out }: PollReport): void {
    const text = JSON.stringify([unavailable, left_out.map(({ reason }) => reason)])
    if (text === (this.#leftOut.get(subscription_id) ?? NOTHING_LEFT_OUT)) return
    this.#leftOut.set(subscription_id, text)
    this.parts.logger.warn({ subscription_id, unavailable, left_out }, 'a poll reads not all lists or items')
  }

  /** Logs only changes, because the same failure recurs with every check. */
  #logChange(watch: string, error: unknown): void {
    const { logger } = this.parts
    const failure = error === undefined ? undefined : error instanceof AppError ? error.code : String(error)
    if (this.#failures.get(watch) === failure) return
    const about = watch === '' ? {} : { subscription_id: watch }
    if (failure === undefined) {
      this.#failures.delete(watch)
      logger.info(about, 'capture works again')
      return
    }
    this.#failures.set(watch, failure)
    if (error instanceof AppError) logger.warn({ ...about, code: error.code, detail: error.message }, 'capture failed')
    else logger.error({ ...about, err: error }, 'capture failed')
  }
}
