import type { Ledger } from '../../ledger/ledger.js'
import { captureEndReason } from '../../ledger/watch-times.js'
import { AppError } from '../../model/app-error.js'
import { counted } from '../../model/counted.js'
import { toFailure } from '../../model/failure.js'
import { isRestSource, type RestAccount } from '../../model/platforms/history.js'
import { settingSuffix } from '../../model/platforms/platform-source.js'
import type { CaptureProgress, WatchCapture } from '../../model/subscriptions/capture.js'
import type { Subscription } from '../../model/subscriptions/subscription.js'
import { type Micros, toTimestamp } from '../../model/timestamp.js'
import type { RateLimitOptions } from '../../platforms/chat/capture/rate-limited-chat-api.js'
import type { Lease } from '../../store/event-store.js'
import { type ChatCapture, captureChat, capturedPlaceOf } from './capture-chat.js'
import { pollPlace, targetOf } from './poll-place.js'
import type { WatchLocks } from './watch-locks.js'

export interface CaptureParts {
  ledger: Pick<Ledger, 'recordCaptured' | 'recordLive' | 'noteCapture' | 'getSubscription' | 'listKeysOf'>
  locks: WatchLocks
  /** Wall clock in microseconds. */
  clock: () => Micros
  /** Absent without an account of the chat platform. */
  chat?: ChatCapture | undefined
  /** Accounts of the other platforms. */
  accounts: readonly RestAccount[]
  sleep: RateLimitOptions['sleep']
  /** The right to capture the watch, if several servers may. */
  lease?: Lease | undefined
  signal?: AbortSignal | undefined
  onProgress?: ((progress: CaptureProgress) => void) | undefined
}

/**
 * Captures one watch and records the outcome in it. A disabled or expired watch is not changed. A failure is part of
 * the result, together with the number of messages recorded before it.
 *
 * @throws the signal's reason once it is aborted
 */
export async function captureOne(id: string, parts: CaptureParts): Promise<WatchCapture> {
  const counts = { messages: 0, created: 0, duplicates: 0 }
  const capture: WatchCapture = { subscription_id: id, outcome: 'captured', ...counts, last_cursor: null }
  try {
    await parts.locks.hold(id, lease => captureUnlessOver(capture, { ...parts, lease }))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    capture.outcome = 'failed'
    // The error of a poll already contains the number of messages.
    const isChat = capture.polled === undefined
    capture.error = toFailure(isChat && capture.messages > 0 ? afterSome(error, capture.messages) : error)
  }
  return capture
}

async function captureUnlessOver(capture: WatchCapture, parts: CaptureParts): Promise<void> {
  const { ledger, clock } = parts
  const watch = await ledger.getSubscription(capture.subscription_id)
  const over = captureEndReason(watch, clock())
  capture.last_cursor = watch.last_cursor
  if (over) {
    capture.outcome = over
    return
  }
  const work = isRestSource(watch.source) ? pollOf(watch, parts) : chatCaptureOf(watch, parts)
  try {
    await attempt(capture, { watch, work }, parts)
  } finally {
    capture.last_cursor = (await ledger.getSubscription(watch.id)).last_cursor
  }
}

/** Captures a watch once. */
type Work = (capture: WatchCapture, attemptedAt: Micros) => Promise<void>

/** @throws AppError `invalid/watch_not_captured`, `configuration/capture_account_missing` */
function chatCaptureOf(watch: Subscription, parts: CaptureParts): Work {
  const place = capturedPlaceOf(watch)
  const { chat } = parts
  if (!chat) throw accountMissing(watch, 'EVENT_CHAT_URL, EVENT_CHAT_EMAIL and EVENT_CHAT_API_KEY')
  return (capture, attemptedAt) => captureChat(capture, { watch, place, attemptedAt }, { ...parts, chat })
}

/** @throws AppError `invalid/watch_not_captured`, `configuration/capture_account_missing` */
function pollOf(watch: Subscription, parts: CaptureParts): Work {
  const target = targetOf(watch)
  const account = parts.accounts.find(({ source }) => source === watch.source)
  if (!account) {
    const suffix = settingSuffix(watch.source)
    throw accountMissing(watch, `EVENT_HISTORY_URL_${suffix} or EVENT_HISTORY_TOKEN_${suffix}`)
  }
  return (capture, attemptedAt) => pollPlace(capture, { watch, target, account, attemptedAt }, parts)
}

function accountMissing({ id, source }: Subscription, settings: string): AppError {
  const message = `Subscription "${id}" is of "${source}", and no account of it is configured.`
  return new AppError('configuration', 'capture_account_missing', message, { hint: `Set ${settings}.` })
}

async function attempt(
  capture: WatchCapture,
  { watch, work }: { watch: Subscription; work: Work },
  parts: CaptureParts,
): Promise<void> {
  const { ledger, clock } = parts
  const attemptedAt = clock()
  const last_attempt_at = toTimestamp(attemptedAt)
  try {
    await work(capture, attemptedAt)
  } catch (cause) {
    if (parts.signal?.aborted) throw cause
    const error = withEnd(cause, clock())
    const failures = (watch.capture?.failures ?? 0) + 1
    const last_error = error instanceof AppError ? error.message : 'Capturing failed because of a defect; see the log.'
    // If the ledger cannot be written, the first error is the one to report.
    await ledger.noteCapture(watch.id, { last_attempt_at, last_error, failures }).catch(() => undefined)
    throw error
  }
  const last_success_at = toTimestamp(clock())
  const went = { last_attempt_at, last_success_at, last_error: null, failures: 0, wait_until: null }
  await ledger.noteCapture(watch.id, went)
}

/** Adds the time at which the wait ends: a duration alone would be useless in a stored message. */
function withEnd(error: unknown, now: Micros): unknown {
  if (!(error instanceof AppError) || !isRateLimit(error.code)) return error
  const { category, code, message, retryAfterSeconds } = error
  if (retryAfterSeconds === undefined) return error
  const end = toTimestamp(now + Math.ceil(retryAfterSeconds * 1_000_000))
  return new AppError(category, code, `${message} It accepts no request before ${end}.`, { retryAfterSeconds })
}

export function isRateLimit(code: string): boolean {
  return code === 'chat_rate_limited' || code === 'platform_rate_limited'
}

function afterSome({ category, code, message, errors, retryAfterSeconds }: AppError, messages: number): AppError {
  const recorded = `${counted(messages, 'message is', 'messages are')} recorded; run it again to continue.`
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  return new AppError(category, code, `${message} ${recorded}`, { errors, ...wait })
}
