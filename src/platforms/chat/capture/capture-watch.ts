import { setImmediate as nextTurn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { NewEvent } from '../../../model/events/event.js'
import type { Micros } from '../../../model/timestamp.js'
import type { ChatContext } from '../context.js'
import { toMessageEvent } from '../messages/message.js'
import type { FollowedPlace, WatchedPlace } from '../watched-place.js'
import { type ChatApi, type ChatMessage, MAX_PAGE_MESSAGES, type MessagePage } from './chat-api.js'
import { firstReread, nextReread, type Reread } from './reread.js'
import type { UserDirectory } from './user-directory.js'
import { WatchedMessages } from './watched-messages.js'

const MESSAGES_A_TURN = 200

/** How far a watch has been read. */
export interface ReadProgress {
  /** The newest message id; 0 if there were no messages; undefined before the first capture. */
  readTo: number | undefined
  followed: FollowedPlace | undefined
  /** Undefined if the watch was read by an older release, or not at all. */
  reread: Reread | undefined
}

/** Messages of a watch, oldest first, recorded together with the position after them. */
export interface CapturedPage {
  events: NewEvent[]
  /** The newest message id of the page, or the previous value. */
  readTo: number
  followed: FollowedPlace | undefined
  reread: Reread
}

export interface CaptureOptions {
  api: ChatApi
  /** Origin of the server: ids are unique only there. */
  site: string
  users: UserDirectory
  /** How many of the newest messages the first capture reads; 0 starts with new messages only. */
  backfill: number
  /** When this capture began. */
  now: Micros
  /** Returns those of the dedupe keys whose events are stored and belong to this watch. */
  listKnown: (dedupeKeys: readonly string[]) => Promise<readonly string[]>
  /** Records a page and its position in one transaction. */
  record: (page: CapturedPage) => Promise<void>
  signal?: AbortSignal | undefined
}

/**
 * Reads what was posted in a watched place since the last capture, oldest to newest, page by page. It may stop
 * anywhere: the next capture continues after the recorded messages, so none is skipped.
 *
 * @throws AppError as `ChatApi` and `record`; the signal's reason once it is aborted
 *
 * Source: decisions, section 6; the platform's notes, section 2.5.
 */
export async function captureWatch(place: WatchedPlace, so: ReadProgress, options: CaptureOptions): Promise<void> {
  const { api, signal, backfill, now } = options
  const messages = new WatchedMessages(api, place, so.followed, signal)
  let readTo = so.readTo
  if (readTo === undefined) {
    const newest = await messages.newest(Math.min(Math.max(backfill, 1), MAX_PAGE_MESSAGES))
    const newestId = newest.messages.at(-1)?.id ?? 0
    if (backfill <= MAX_PAGE_MESSAGES || newest.foundOldest) {
      const page = backfill === 0 ? [] : newest.messages
      const reread = firstReread(page[0]?.id, newestId, now)
      return options.record({
        events: await toEvents(page, options),
        readTo: newestId,
        followed: messages.followed,
        reread,
      })
    }
    readTo = await findStart(messages, newest.messages, backfill)
  }
  let reread = so.readTo === undefined ? firstReread(undefined, readTo, now) : nextReread(so.reread, readTo, now)
  let kept: Pick<ReadProgress, 'followed' | 'reread'> = { followed: so.followed, reread: so.reread }
  let last = readTo
  for await (const page of pagesAfter(messages, { from: reread.from, readTo })) {
    last = page.readTo
    // There is more than one page, so only the newest page is read again.
    if (page.index > 0) reread = { ...reread, from: page.start, next: Math.max(page.start, reread.next) }
    const events = await toEvents(page.fresh, options)
    const found = [...(await notKnown(page, options)), ...events]
    if (found.length > 0) {
      kept = { followed: messages.followed, reread }
      await options.record({ events: found, readTo: last, followed: messages.followed, reread })
    }
    signal?.throwIfAborted()
  }
  // The place was found under a new name, or has settled, without new messages. Records that now.
  const latest = { followed: messages.followed ?? kept.followed, reread }
  if (!isDeepStrictEqual(latest, kept)) await options.record({ events: [], readTo: last, ...latest })
}

interface ReadPage {
  index: number
  /** The page begins after this id. */
  start: number
  /** Messages that were, or could have been, read before. */
  again: ChatMessage[]
  fresh: ChatMessage[]
  readTo: number
}

/**
 * Requests at most one page ahead, while the current one is processed. Reads at most one page again, regardless of the
 * number of messages.
 */
async function* pagesAfter(
  messages: WatchedMessages,
  { from, readTo: known }: { from: number; readTo: number },
): AsyncGenerator<ReadPage> {
  let readTo = from
  let asked: Promise<MessagePage> | undefined = messages.after(from, {
    readTo: known,
    count: MAX_PAGE_MESSAGES,
  })
  for (let index = 0; asked; index++) {
    const page: MessagePage = await asked
    const start = readTo
    const found = newerThan(page.messages, start)
    const last = found.at(-1)
    if (!last) return
    readTo = Math.max(last.id, known)
    asked = page.foundNewest ? undefined : messages.after(readTo, { readTo, count: MAX_PAGE_MESSAGES })
    asked?.catch(() => undefined) // reported when this page is awaited
    const again = found.filter(({ id }) => id <= known)
    yield { index, start, again, fresh: newerThan(found, known), readTo }
  }
}

/**
 * Messages that became visible after their neighbours were read. Known messages are not recorded again, because that
 * would count a repeat.
 */
async function notKnown({ again }: ReadPage, options: CaptureOptions): Promise<NewEvent[]> {
  if (again.length === 0) return []
  const events = await toEvents(again, options)
  const known = new Set(await options.listKnown(events.map(({ dedupe_key }) => dedupe_key)))
  return events.filter(({ dedupe_key }) => !known.has(dedupe_key))
}

/** Reads back page by page, and keeps only a number. @returns the id after which the newest `count` begin */
async function findStart(messages: WatchedMessages, newest: readonly ChatMessage[], count: number): Promise<number> {
  let oldest = newest[0]?.id ?? 1
  for (let found = newest.length; found < count; ) {
    const page = await messages.before(oldest, Math.min(count - found, MAX_PAGE_MESSAGES))
    const older = page.messages.filter(({ id }) => id < oldest)
    oldest = older[0]?.id ?? oldest
    found += older.length
    if (page.foundOldest || older.length === 0) break
  }
  return oldest - 1
}

/** Servers before version 6 include the anchor. */
function newerThan(messages: readonly ChatMessage[], id: number): ChatMessage[] {
  return messages.filter(message => message.id > id)
}

/** Yields between chunks, so that the server can answer other requests. */
async function toEvents(
  page: readonly ChatMessage[],
  { api, site, users, signal }: CaptureOptions,
): Promise<NewEvent[]> {
  if (page.length === 0) return []
  const context: ChatContext = { site, users: await users.usersFor(page, api, signal) }
  const events: NewEvent[] = []
  for (const [index, { payload }] of page.entries()) {
    if (index % MESSAGES_A_TURN === MESSAGES_A_TURN - 1) await nextTurn()
    const event = toMessageEvent(payload, context)
    if (event) events.push(event)
  }
  return events
}
