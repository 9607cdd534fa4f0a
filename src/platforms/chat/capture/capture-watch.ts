import { setImmediate as nextTurn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { NewEvent } from '../../../model/event.js'
import type { ChatContext } from '../context.js'
import { toMessageEvent } from '../message.js'
import { type ChatApi, type ChatMessage, MAX_PAGE_MESSAGES, type MessagePage } from './chat-api.js'
import type { UserDirectory } from './user-directory.js'
import { WatchedMessages } from './watched-messages.js'
import type { FollowedPlace, WatchedPlace } from './watched-place.js'

const MESSAGES_A_TURN = 200

/** How far a watch has been read. */
export interface ReadSoFar {
  /** The newest message id; 0 when there was none yet; undefined before the first time. */
  readTo: number | undefined
  followed: FollowedPlace | undefined
}

/** Some messages of a watch, oldest first, to be recorded together with the place after them. */
export interface CapturedPage {
  events: NewEvent[]
  /** The newest message id of it, or as before. */
  readTo: number
  followed: FollowedPlace | undefined
}

export interface CaptureOptions {
  api: ChatApi
  /** Origin of the server: ids are only unique there. */
  site: string
  users: UserDirectory
  /** How many of the newest messages are read the first time; 0 begins with what is said from now on. */
  backfill: number
  /** Records a page and how far it goes, together or not at all. */
  record: (page: CapturedPage) => Promise<void>
  signal?: AbortSignal | undefined
}

/**
 * Reads what was said in a watched place since the last time, oldest to newest, page by page. It may end anywhere: what
 * is recorded is where the next time goes on from, so that nothing is skipped.
 *
 * @throws AppError as `ChatApi` and `record`; the signal's reason once it is aborted
 *
 * Source: decisions, section 6; the platform's notes, section 2.5.
 */
export async function captureWatch(place: WatchedPlace, so: ReadSoFar, options: CaptureOptions): Promise<void> {
  const { api, signal, backfill } = options
  const messages = new WatchedMessages(api, place, so.followed, signal)
  let kept = so.followed
  const recordPage = async (page: readonly ChatMessage[], readTo: number) => {
    const events = page.length === 0 ? [] : await toEvents(page, options)
    kept = messages.followed
    await options.record({ events, readTo, followed: kept })
  }
  let readTo = so.readTo
  if (readTo === undefined) {
    const newest = await messages.newest(Math.min(Math.max(backfill, 1), MAX_PAGE_MESSAGES))
    const newestId = newest.messages.at(-1)?.id ?? 0
    if (backfill <= MAX_PAGE_MESSAGES || newest.foundOldest) {
      return recordPage(backfill === 0 ? [] : newest.messages, newestId)
    }
    readTo = await findStart(messages, newest.messages, backfill)
  }
  let last = readTo
  for await (const page of pagesAfter(messages, readTo)) {
    last = page.readTo
    await recordPage(page.messages, last)
    signal?.throwIfAborted()
  }
  // Found under a new name while nothing was said: known from now on.
  if (messages.followed && !isDeepStrictEqual(messages.followed, kept)) await recordPage([], last)
}

/** Each page is asked for while the one before it is dealt with, and no more than that. */
async function* pagesAfter(messages: WatchedMessages, start: number) {
  let readTo = start
  let asked: Promise<MessagePage> | undefined = messages.after(readTo, MAX_PAGE_MESSAGES)
  while (asked) {
    const page: MessagePage = await asked
    const fresh = newerThan(page.messages, readTo)
    const last = fresh.at(-1)
    if (!last) return
    readTo = last.id
    asked = page.foundNewest ? undefined : messages.after(readTo, MAX_PAGE_MESSAGES)
    asked?.catch(() => undefined) // told when its turn comes, if it does
    yield { messages: fresh, readTo }
  }
}

/** Goes back page by page, keeping no more than a number. @returns the id after which the newest `count` begin */
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

/** Servers before version 6 send the anchor as well. */
function newerThan(messages: readonly ChatMessage[], id: number): ChatMessage[] {
  return messages.filter(message => message.id > id)
}

/** In several turns: in a server, others have their requests answered meanwhile. */
async function toEvents(
  page: readonly ChatMessage[],
  { api, site, users, signal }: CaptureOptions,
): Promise<NewEvent[]> {
  const context: ChatContext = { site, users: await users.usersFor(page, api, signal) }
  const events: NewEvent[] = []
  for (const [index, { payload }] of page.entries()) {
    if (index % MESSAGES_A_TURN === MESSAGES_A_TURN - 1) await nextTurn()
    const event = toMessageEvent(payload, context)
    if (event) events.push(event)
  }
  return events
}
