import type { Ledger } from '../ledger/ledger.js'
import { readToOf, whyOver } from '../ledger/watch-times.js'
import { AppError } from '../model/app-error.js'
import type { CaptureProgress, WatchCapture } from '../model/capture.js'
import { toFailure } from '../model/failure.js'
import type { Subscription } from '../model/subscription.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import { type CapturedPage, captureWatch, type ReadSoFar } from '../platforms/chat/capture/capture-watch.js'
import type { ChatApi } from '../platforms/chat/capture/chat-api.js'
import { type Patience, PatientChatApi } from '../platforms/chat/capture/patient-chat-api.js'
import type { UserDirectory } from '../platforms/chat/capture/user-directory.js'
import { readFollowedPlace, type WatchedPlace, watchedPlaceOf } from '../platforms/chat/capture/watched-place.js'
import type { WatchLocks } from './watch-locks.js'

/** What the capture of one watch needs. */
export interface CaptureParts {
  ledger: Pick<Ledger, 'recordCaptured' | 'noteCapture' | 'getSubscription'>
  locks: WatchLocks
  /** Wall clock in microseconds. */
  clock: () => Micros
  api: ChatApi
  site: string
  users: UserDirectory
  backfill: number
  sleep: Patience['sleep']
  signal?: AbortSignal | undefined
  onProgress?: ((progress: CaptureProgress) => void) | undefined
}

/**
 * Captures one watch, and notes in it how that went. A watch that is over is left as it is. What goes wrong is in what
 * is returned, with what was recorded before.
 *
 * @throws the signal's reason once it is aborted
 */
export async function captureOne(id: string, parts: CaptureParts): Promise<WatchCapture> {
  const counts = { messages: 0, created: 0, duplicates: 0 }
  const capture: WatchCapture = { subscription_id: id, outcome: 'captured', ...counts, last_cursor: null }
  try {
    await parts.locks.hold(id, () => captureUnlessOver(capture, parts))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    capture.outcome = 'failed'
    capture.error = toFailure(capture.messages > 0 ? afterSome(error, capture.messages) : error)
  }
  return capture
}

async function captureUnlessOver(capture: WatchCapture, parts: CaptureParts): Promise<void> {
  const { ledger, clock } = parts
  const watch = await ledger.getSubscription(capture.subscription_id)
  const over = whyOver(watch, clock())
  if (over) capture.outcome = over
  try {
    if (!over) await attempt(capture, watch, parts)
  } finally {
    capture.last_cursor = (await ledger.getSubscription(watch.id)).last_cursor
  }
}

async function attempt(capture: WatchCapture, watch: Subscription, parts: CaptureParts): Promise<void> {
  const { ledger, clock } = parts
  const last_attempt_at = toTimestamp(clock())
  try {
    await captureInto(capture, placeOf(watch), readSoFar(watch), parts)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const failures = (watch.capture?.failures ?? 0) + 1
    // A ledger that cannot be written has failed already: its own error is the one to tell.
    await ledger.noteCapture(watch.id, { last_attempt_at, last_error: error.message, failures }).catch(() => undefined)
    throw error
  }
  const last_success_at = toTimestamp(clock())
  await ledger.noteCapture(watch.id, { last_attempt_at, last_success_at, last_error: null, failures: 0 })
}

async function captureInto(
  capture: WatchCapture,
  place: WatchedPlace,
  so: ReadSoFar,
  { ledger, onProgress, sleep, ...options }: CaptureParts,
): Promise<void> {
  const { subscription_id } = capture
  const record = async ({ events, readTo, followed }: CapturedPage) => {
    const kept = followed && { ...followed }
    const outcomes = await ledger.recordCaptured(subscription_id, { events, readTo: String(readTo), followed: kept })
    const created = outcomes.filter(outcome => outcome.created).length
    capture.messages += outcomes.length
    capture.created += created
    capture.duplicates += outcomes.length - created
    onProgress?.({ subscription_id, messages: capture.messages })
  }
  const onWait = (seconds: number) => {
    onProgress?.({ subscription_id, messages: capture.messages, waiting_seconds: seconds })
  }
  const api = new PatientChatApi(options.api, { sleep, onWait })
  await captureWatch(place, so, { ...options, api, record })
}

function placeOf(watch: Subscription): WatchedPlace {
  const place = watch.source === 'chat' ? watchedPlaceOf(watch) : undefined
  if (place) return place
  const message = `Subscription "${watch.id}" does not watch a topic or a stream of the chat platform.`
  const hint = 'Only those can be captured; give it a target like stream:eng/topic:deploys.'
  throw new AppError('invalid', 'watch_not_captured', message, { hint })
}

function readSoFar(watch: Subscription): ReadSoFar {
  const place = readToOf(watch)
  const readTo = place !== null && /^\d{1,15}$/.test(place) ? Number(place) : undefined
  return { readTo, followed: readFollowedPlace(watch.capture?.followed) }
}

function afterSome({ category, code, message, errors, retryAfterSeconds }: AppError, messages: number): AppError {
  const recorded = `${messages} ${messages === 1 ? 'message is' : 'messages are'} recorded; run it again to go on.`
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  return new AppError(category, code, `${message} ${recorded}`, { errors, ...wait })
}
