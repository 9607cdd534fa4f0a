import type { Ledger } from '../../ledger/ledger.js'
import { readToOf, whyOver } from '../../ledger/watch-times.js'
import { AppError } from '../../model/app-error.js'
import { toFailure } from '../../model/failure.js'
import type { CaptureProgress, WatchCapture } from '../../model/subscriptions/capture.js'
import type { Subscription } from '../../model/subscriptions/subscription.js'
import { type Micros, readTimestamp, toTimestamp } from '../../model/timestamp.js'
import { type CapturedPage, captureWatch, type ReadSoFar } from '../../platforms/chat/capture/capture-watch.js'
import type { ChatApi } from '../../platforms/chat/capture/chat-api.js'
import { RateLimitedChatApi, type RateLimitOptions } from '../../platforms/chat/capture/rate-limited-chat-api.js'
import type { UserDirectory } from '../../platforms/chat/capture/user-directory.js'
import { hostOf } from '../../platforms/chat/context.js'
import {
  type FollowedPlace,
  readFollowedPlace,
  type WatchedPlace,
  watchedPlaceOf,
} from '../../platforms/chat/watched-place.js'
import type { Lease } from '../../store/event-store.js'
import type { WatchLocks } from './watch-locks.js'

export interface CaptureParts {
  ledger: Pick<Ledger, 'recordCaptured' | 'noteCapture' | 'getSubscription' | 'listKeysOf'>
  locks: WatchLocks
  /** Wall clock in microseconds. */
  clock: () => Micros
  api: ChatApi
  site: string
  users: UserDirectory
  backfill: number
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
    capture.error = toFailure(capture.messages > 0 ? afterSome(error, capture.messages) : error)
  }
  return capture
}

async function captureUnlessOver(capture: WatchCapture, parts: CaptureParts): Promise<void> {
  const { ledger, clock } = parts
  const watch = await ledger.getSubscription(capture.subscription_id)
  const over = whyOver(watch, clock())
  capture.last_cursor = watch.last_cursor
  if (over) {
    capture.outcome = over
    return
  }
  const place = placeOf(watch)
  try {
    await attempt(capture, { watch, place }, parts)
  } finally {
    capture.last_cursor = (await ledger.getSubscription(watch.id)).last_cursor
  }
}

/** A watch and the place that it names. */
interface Placed {
  watch: Subscription
  place: WatchedPlace
}

async function attempt(capture: WatchCapture, { watch, place }: Placed, parts: CaptureParts): Promise<void> {
  const { ledger, clock } = parts
  const attemptedAt = clock()
  const last_attempt_at = toTimestamp(attemptedAt)
  try {
    await captureInto(capture, { watch, place, attemptedAt }, parts)
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

async function captureInto(
  capture: WatchCapture,
  { watch, place, attemptedAt }: Placed & { attemptedAt: Micros },
  { ledger, lease, onProgress, sleep, ...options }: CaptureParts,
): Promise<void> {
  const { subscription_id } = capture
  const host = toHost(options.site)
  const previousHost = otherHostOf(watch, options.site)
  const so = readSoFar(watch, options.site)
  const record = async ({ events, readTo, reread, followed }: CapturedPage) => {
    const { from, next, since } = reread
    const again = { from: String(from), next: String(next), since: toTimestamp(since) }
    const kept = { readTo: String(readTo), reread: again, followed: followed && { ...followed } }
    const page = { events, host, attemptedAt, ...kept }
    const outcomes = await ledger.recordCaptured(subscription_id, page, lease)
    if (previousHost !== undefined) capture.previous_host = previousHost
    const created = outcomes.filter(outcome => outcome.created).length
    Object.assign(capture, renaming(so.followed, followed))
    capture.messages += outcomes.length
    capture.created += created
    capture.duplicates += outcomes.length - created
    onProgress?.({ subscription_id, messages: capture.messages })
  }
  const onWait = (seconds: number) => {
    onProgress?.({ subscription_id, messages: capture.messages, waiting_seconds: seconds })
  }
  const api = new RateLimitedChatApi(options.api, { sleep, onWait })
  const listKnown = (dedupeKeys: readonly string[]) => ledger.listKeysOf(watch.id, dedupeKeys)
  await captureWatch(place, so, { ...options, api, now: attemptedAt, listKnown, record })
}

/** Reports that the watched place was renamed since the last capture. */
function renaming(before: FollowedPlace | undefined, now: FollowedPlace | undefined): Pick<WatchCapture, 'renamed_to'> {
  if (!before || !now || (before.stream === now.stream && before.topic === now.topic)) return {}
  return { renamed_to: now.topic === undefined ? now.stream : `${now.stream} > ${now.topic}` }
}

function placeOf(watch: Subscription): WatchedPlace {
  const place = watch.source === 'chat' ? watchedPlaceOf(watch) : undefined
  if (place) return place
  const watched = watch.source === 'chat' ? 'all of the chat platform' : `"${watch.source}"`
  const message = `Subscription "${watch.id}" watches ${watched}, and only a topic or a stream of the chat platform can be captured.`
  const hint = 'Give it the source "chat" and a target like stream:eng/topic:deploys.'
  throw new AppError('invalid', 'watch_not_captured', message, { hint })
}

/** Progress on another server does not apply to this one. */
function readSoFar(watch: Subscription, site: string): ReadSoFar {
  if (otherHostOf(watch, site) !== undefined) return { readTo: undefined, followed: undefined, reread: undefined }
  const place = readToOf(watch)
  const readTo = place !== null && /^\d{1,15}$/.test(place) ? Number(place) : undefined
  return {
    readTo,
    followed: readFollowedPlace(watch.capture?.followed ?? undefined),
    reread: readReread(watch.capture?.reread),
  }
}

function readReread(kept: NonNullable<Subscription['capture']>['reread']): ReadSoFar['reread'] {
  if (!kept) return undefined
  return { from: Number(kept.from), next: Number(kept.next), since: readTimestamp('since', kept.since).micros }
}

/** The server of the last capture, unless it is this one. */
function otherHostOf({ capture }: Subscription, site: string): string | undefined {
  return capture?.host && capture.host !== toHost(site) ? capture.host : undefined
}

/** The form that the keys of events use. */
function toHost(site: string): string {
  return hostOf({ site }, {})
}

/** Adds the time at which the wait ends: a duration alone would be useless in a stored message. */
function withEnd(error: unknown, now: Micros): unknown {
  if (!(error instanceof AppError) || error.code !== 'chat_rate_limited') return error
  const { category, code, message, retryAfterSeconds } = error
  if (retryAfterSeconds === undefined) return error
  const end = toTimestamp(now + Math.ceil(retryAfterSeconds * 1_000_000))
  return new AppError(category, code, `${message} It accepts no request before ${end}.`, { retryAfterSeconds })
}

function afterSome({ category, code, message, errors, retryAfterSeconds }: AppError, messages: number): AppError {
  const recorded = `${messages} ${messages === 1 ? 'message is' : 'messages are'} recorded; run it again to continue.`
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  return new AppError(category, code, `${message} ${recorded}`, { errors, ...wait })
}
