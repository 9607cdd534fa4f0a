import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { AppError } from '../model/app-error.js'
import type { ChatAccount } from '../model/platforms/chat-account.js'
import { CAPTURE_LIMITS, type CaptureResult } from '../model/subscriptions/capture.js'
import type { Captures } from './captures.js'

/** How long after a failure that all watches would meet. */
const PAUSE_SECONDS = 15

export interface CaptureScheduleParts {
  captures: Pick<Captures, 'run'>
  chat: ChatAccount
  logger: Pick<Logger, 'info' | 'warn' | 'error'>
  /** How often it is looked whether a watch is due. */
  lookMs: number
}

/** Captures the watches that are due, one at a time, until it is stopped. */
export class CaptureSchedule {
  readonly #stop = new AbortController()
  readonly #ended: Promise<void>
  /** What went wrong the last time, by watch, or with looking for them. */
  readonly #troubles = new Map<string, string>()

  /** Begins at once. */
  constructor(private readonly parts: CaptureScheduleParts) {
    this.#ended = this.#work()
  }

  /** Lets go of what is not recorded yet: the next time goes on from what is. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#ended
  }

  async #work(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      const waitMs = await this.#captureDue(signal)
      await sleep(waitMs, undefined, { signal }).catch(() => undefined) // stopped while it slept
    }
  }

  /** @returns how long to wait before the next look, in milliseconds */
  async #captureDue(signal: AbortSignal): Promise<number> {
    const { captures, chat } = this.parts
    try {
      const result = await captures.run({ backfill: CAPTURE_LIMITS.defaultBackfill, chat }, { signal })
      this.#tell('', undefined)
      return this.#report(result)
    } catch (error) {
      if (signal.aborted) return 0
      this.#tell('', error)
      return PAUSE_SECONDS * 1000
    }
  }

  #report({ captures, left }: CaptureResult): number {
    const { logger } = this.parts
    for (const { subscription_id, error, messages, created, previous_host, renamed_to } of captures) {
      this.#tell(subscription_id, error && new AppError(error.category, error.code, error.message))
      if (previous_host) logger.warn({ subscription_id, previous_host }, 'another chat server: read from its beginning')
      if (renamed_to) logger.info({ subscription_id, renamed_to }, 'the watched topic or stream has another name')
      if (messages > 0) logger.info({ subscription_id, messages, created }, 'captured')
    }
    const last = captures.at(-1)?.error
    return left > 0 && last ? Math.max(last.retryAfterSeconds ?? 0, PAUSE_SECONDS) * 1000 : this.parts.lookMs
  }

  /** Once for each change, as the same trouble comes back with every look. */
  #tell(watch: string, error: unknown): void {
    const { logger } = this.parts
    const trouble = error === undefined ? undefined : error instanceof AppError ? error.code : String(error)
    if (this.#troubles.get(watch) === trouble) return
    const about = watch === '' ? {} : { subscription_id: watch }
    if (trouble === undefined) {
      this.#troubles.delete(watch)
      logger.info(about, 'capture works again')
      return
    }
    this.#troubles.set(watch, trouble)
    if (error instanceof AppError) logger.warn({ ...about, code: error.code, detail: error.message }, 'capture failed')
    else logger.error({ ...about, err: error }, 'capture failed')
  }
}
