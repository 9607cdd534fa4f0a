import type { NewEvent } from '../../../model/events/event.js'
import type { History, HistoryPage, LeftOut } from '../../history/history-stream.js'
import { idAt, instantAt } from '../../mapping/payload.js'
import { type ChatApi, MAX_PAGE_MESSAGES, type NarrowTerm } from '../capture/chat-api.js'
import type { UserDirectory } from '../capture/user-directory.js'
import { toMessageEvent } from '../messages/message.js'
import type { WatchedPlace } from '../watched-place.js'

interface StreamHistoryParts {
  api: ChatApi
  users: UserDirectory
  /** Address of the server, as configured. */
  site: string
  place: WatchedPlace
  /** RFC 3339 in UTC, six digits. */
  since: string
  signal?: AbortSignal | undefined
}

/**
 * The messages of a stream or topic, newest first: the server finds them by id, not by time. A position is the id
 * before which the next page begins.
 *
 * Source: Zulip API, `GET /messages`.
 */
export function openStreamHistory({ api, users, site, place, since, signal }: StreamHistoryParts): History {
  const narrow: NarrowTerm[] = [
    { operator: 'stream', operand: place.stream },
    ...(place.topic === undefined ? [] : [{ operator: 'topic', operand: place.topic } as const]),
  ]
  const read = async (position?: string): Promise<HistoryPage> => {
    const anchor = position === undefined ? 'newest' : Number(position)
    const query = { narrow, anchor, before: MAX_PAGE_MESSAGES, after: 0, withAnchor: position === undefined } as const
    const { messages, foundOldest } = await api.messages(query, signal)
    // Servers before version 6 include the anchor.
    const older = messages.filter(({ id }) => anchor === 'newest' || id < anchor)
    const context = { site, users: await users.usersFor(older, api, signal) }
    const events: NewEvent[] = []
    const leftOut: LeftOut[] = []
    for (const { id, payload } of older) {
      const time = instantAt(payload, 'timestamp')
      const event = time === undefined ? undefined : toMessageEvent(payload, context)
      if (!event) leftOut.push({ reason: 'it has no time in timestamp', item: `messages #${id}` })
      else if (time !== undefined && time >= since) events.push(event)
    }
    const [oldest] = older
    const isBefore = oldest !== undefined && (instantAt(oldest.payload, 'timestamp') ?? since) < since
    const next = oldest === undefined || foundOldest || isBefore ? undefined : idAt(oldest.payload, 'id')
    return { events, leftOut, items: older.length, next }
  }
  return {
    streams: [{ name: 'messages', kinds: ['message.created'], read }],
    missing: ['edits, deletions and reactions', 'direct messages'],
  }
}
