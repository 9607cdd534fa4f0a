import { readToOf } from '../../ledger/watch-times.js'
import { AppError } from '../../model/app-error.js'
import type { WatchCapture } from '../../model/subscriptions/capture.js'
import type { Subscription } from '../../model/subscriptions/subscription.js'
import { type Micros, readTimestamp, toTimestamp } from '../../model/timestamp.js'
import { type CapturedPage, captureWatch, type ReadProgress } from '../../platforms/chat/capture/capture-watch.js'
import type { ChatApi } from '../../platforms/chat/capture/chat-api.js'
import { RateLimitedChatApi } from '../../platforms/chat/capture/rate-limited-chat-api.js'
import type { UserDirectory } from '../../platforms/chat/capture/user-directory.js'
import { hostOf } from '../../platforms/chat/context.js'
import {
  type FollowedPlace,
  readFollowedPlace,
  type WatchedPlace,
  watchedPlaceOf,
} from '../../platforms/chat/watched-place.js'
import type { CaptureParts } from './capture-one.js'

/** The account, clock and state that reading the chat platform needs. */
export interface ChatCapture {
  api: ChatApi
  site: string
  users: UserDirectory
  backfill: number
}

/** Reads the new messages of a watched place since the last capture, page by page. */
export async function captureChat(
  capture: WatchCapture,
  { watch, place, attemptedAt }: { watch: Subscription; place: WatchedPlace; attemptedAt: Micros },
  { ledger, lease, onProgress, sleep, signal, chat: options }: CaptureParts & { chat: ChatCapture },
): Promise<void> {
  const { subscription_id } = capture
  const host = toHost(options.site)
  const previousHost = otherHostOf(watch, options.site)
  const progress = readSoFar(watch, options.site)
  const record = async ({ events, readTo, reread, followed }: CapturedPage) => {
    const { from, next, since } = reread
    const again = { from: String(from), next: String(next), since: toTimestamp(since) }
    const kept = { readTo: String(readTo), reread: again, followed: followed && { ...followed } }
    const page = { events, host, attemptedAt, ...kept }
    const outcomes = await ledger.recordCaptured(subscription_id, page, lease)
    if (previousHost !== undefined) capture.previous_host = previousHost
    const created = outcomes.filter(outcome => outcome.created).length
    Object.assign(capture, renaming(progress.followed, followed))
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
  await captureWatch(place, progress, { ...options, api, signal, now: attemptedAt, listKnown, record })
}

/** Reports that the watched place was renamed since the last capture. */
function renaming(before: FollowedPlace | undefined, now: FollowedPlace | undefined): Pick<WatchCapture, 'renamed_to'> {
  if (!before || !now || (before.stream === now.stream && before.topic === now.topic)) return {}
  return { renamed_to: now.topic === undefined ? now.stream : `${now.stream} > ${now.topic}` }
}

/** @throws AppError `invalid/watch_not_captured` */
export function capturedPlaceOf(watch: Subscription): WatchedPlace {
  const place = watch.source === 'chat' ? watchedPlaceOf(watch) : undefined
  if (place) return place
  const watched = watch.source === 'chat' ? 'all of the chat platform' : `"${watch.source}"`
  const message = `Subscription "${watch.id}" watches ${watched}. Only a chat topic or stream, or a place of a code host or forum, can be captured.`
  const hint = 'Give it the source "chat" and a target like stream:eng/topic:deploys.'
  throw new AppError('invalid', 'watch_not_captured', message, { hint })
}

/** Progress on another server does not apply to this one. */
function readSoFar(watch: Subscription, site: string): ReadProgress {
  if (otherHostOf(watch, site) !== undefined) return { readTo: undefined, followed: undefined, reread: undefined }
  const place = readToOf(watch)
  const readTo = place !== null && /^\d{1,15}$/.test(place) ? Number(place) : undefined
  return {
    readTo,
    followed: readFollowedPlace(watch.capture?.followed ?? undefined),
    reread: readReread(watch.capture?.reread),
  }
}

function readReread(kept: NonNullable<Subscription['capture']>['reread']): ReadProgress['reread'] {
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
