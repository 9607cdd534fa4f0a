import type { NewEvent } from '../../../model/events/event.js'
import type { Micros } from '../../../model/timestamp.js'
import type { ChatApi, ChatMessage, MessagePage, NarrowTerm } from '../../../platforms/chat/capture/chat-api.js'
import { MAX_PAGE_MESSAGES } from '../../../platforms/chat/capture/chat-api.js'
import { isRefusedNarrow } from '../../../platforms/chat/capture/chat-refusals.js'
import { WatchedMessages } from '../../../platforms/chat/capture/watched-messages.js'
import { type MessageChange, readChanges } from '../../../platforms/chat/changes/edit-history.js'
import { WatchPath } from '../../../platforms/chat/changes/watch-path.js'
import type { ChatContext } from '../../../platforms/chat/context.js'
import { toQueueEvents } from '../../../platforms/chat/live/live-events.js'
import type { MessagePlaces } from '../../../platforms/chat/live/message-places.js'
import { messagePlaceOf, type StreamPlace } from '../../../platforms/chat/place.js'
import type { FollowedPlace, WatchedPlace } from '../../../platforms/chat/watched-place.js'
import { numberAt } from '../../../platforms/mapping/payload.js'
import type { RecordedMessages } from './recorded-messages.js'

/** Something that happened while no queue was read, and where. */
export interface MissedEvent {
  event: NewEvent
  places: readonly StreamPlace[]
}

interface MissedChangesParts {
  place: WatchedPlace
  /** The place as capture has found it. */
  followed: FollowedPlace
  watchId: string
  /** Changes before this are not recorded, because the watch did not ask for them. Epoch seconds. */
  since: number
  /** Id of the last message to read; the queue reports all changes of later messages. */
  readTo: number
  now: Micros
  api: ChatApi
  recorded: RecordedMessages
  /** Learns the places of the messages. */
  places: MessagePlaces
  /** The context for these messages, with the users of the server. */
  contextFor: (messages: readonly ChatMessage[]) => Promise<ChatContext>
  knows: (dedupeKey: string) => Promise<boolean>
  /** Records the events that the ledger does not have. @returns how many */
  record: (missed: readonly MissedEvent[]) => Promise<number>
  signal: AbortSignal
}

/** How many pages of messages are read again, if the messages are young. */
const MOST_PAGES = 5
const YOUNG: Micros = 7 * 86_400_000_000
/** How many missing messages of a watch are looked up one by one, the newest ones. */
const MOST_LOOKUPS = 1_000
/** Allowed difference between the clocks of both servers. */
const CLOCK_DIFFERENCE: Micros = 3_600_000_000

/**
 * Finds changes of the messages of one watch while no queue was read. It reads the newest messages again, with their
 * edit history, and looks up messages that the ledger has and the place no longer has. It works in steps of few
 * requests; a failed step can be repeated.
 *
 * Source: docs/decisions/0089.
 */
export class MissedChanges {
  readonly #messages: WatchedMessages
  readonly #seen = new Set<number>()
  #path: WatchPath | undefined
  #oldest: ChatMessage | undefined
  #pages = 0
  /** Ids and recorded places of the messages to ask for, in the order of their ids; undefined until the pages are read. */
  #missing: [id: number, place: StreamPlace][] | undefined
  #lookups = 0
  recorded = 0

  constructor(private readonly parts: MissedChangesParts) {
    const { api, place, followed, signal } = parts
    this.#messages = new WatchedMessages(api, place, followed, signal)
  }

  /** @returns whether it was the last one. @throws AppError as `ChatApi` and `record` */
  async step(): Promise<boolean> {
    if (!this.#missing) await this.#readPage()
    else {
      const missing = this.#missing.at(-1)
      if (missing) await this.#lookFor(missing)
      this.#missing.pop()
    }
    return this.#missing?.length === 0
  }

  async #readPage(): Promise<void> {
    const page = await (this.#oldest
      ? this.#messages.before(this.#oldest.id, MAX_PAGE_MESSAGES)
      : this.#messages.newest(MAX_PAGE_MESSAGES))
    // Servers before version 6 include the anchor.
    const found = page.messages.filter(({ id }) => !this.#oldest || id < this.#oldest.id)
    await this.#recordChanges(found)
    for (const { id } of found) this.#seen.add(id)
    this.#oldest = found[0] ?? this.#oldest
    this.#pages++
    if (found.length === 0 || page.foundOldest || this.#pages >= MOST_PAGES || !this.#isYoung(this.#oldest)) {
      this.#missing = await this.#listMissing(page)
    }
  }

  #isYoung(message: ChatMessage | undefined): boolean {
    const posted = message && numberAt(message.payload, 'timestamp')
    return posted !== undefined && posted * 1_000_000 > this.parts.now - YOUNG
  }

  /** @param upTo the last message; the queue reports changes of later ones */
  async #recordChanges(messages: readonly ChatMessage[], upTo = this.parts.readTo): Promise<void> {
    const { api, places, since, signal, contextFor, record } = this.parts
    const level = await api.featureLevel(signal)
    const changes: MessageChange[] = []
    for (const { id, payload } of messages) {
      const place = messagePlaceOf(payload)
      if (place?.type === 'stream') places.put(id, place)
      if (id > upTo) continue
      changes.push(...readChanges(payload, level).filter(({ at }) => at >= since))
    }
    if (changes.length === 0) return
    const path = await this.#findPath()
    const context = await contextFor(messages)
    const missed = changes
      .filter(change => path.covers(change))
      .sort((left, right) => left.at - right.at)
      .flatMap(({ body, before, after }) =>
        toQueueEvents(body, undefined, context).map(event => ({ event, places: [before, after] })),
      )
    if (missed.length > 0) this.recorded += await record(missed)
  }

  async #findPath(): Promise<WatchPath> {
    if (this.#path) return this.#path
    const { api, followed, signal } = this.parts
    const message = followed.topic === undefined ? undefined : await api.message(followed.message_id, signal)
    const changes = message ? readChanges(message.payload, await api.featureLevel(signal)) : []
    this.#path = new WatchPath(followed, changes)
    return this.#path
  }

  /** Messages in the range of the pages that the ledger has, and the pages do not. */
  async #listMissing(last: MessagePage): Promise<[number, StreamPlace][]> {
    const { recorded, watchId } = this.parts
    if (!(await this.#isVisible())) return []
    const isWhole = last.foundOldest && !last.isLimited
    const posted = this.#oldest && numberAt(this.#oldest.payload, 'timestamp')
    const from = isWhole || posted === undefined ? undefined : posted * 1_000_000 - CLOCK_DIFFERENCE
    const known = await recorded.listOf(watchId, from)
    const first = isWhole ? 0 : (this.#oldest?.id ?? 0)
    return [...known].filter(([id]) => id >= first && !this.#seen.has(id)).sort(([left], [right]) => left - right)
  }

  /**
   * Whether the account can see the stream. An account that has lost access receives an empty answer, which is no proof that
   * messages were deleted.
   */
  async #isVisible(): Promise<boolean> {
    if (this.#seen.size > 0) return true
    const { api, followed, signal } = this.parts
    const narrow: NarrowTerm[] = [{ operator: 'stream', operand: followed.stream_id ?? followed.stream }]
    try {
      const query = { narrow, anchor: 'newest', before: 1, after: 0, withAnchor: true } as const
      return (await api.messages(query, signal)).messages.length > 0
    } catch (error) {
      if (isRefusedNarrow(error)) return false
      throw error
    }
  }

  /** Looks a message up, and records its changes or its deletion. */
  async #lookFor([id, posted]: [number, StreamPlace]): Promise<void> {
    if (this.#lookups === MOST_LOOKUPS) return
    const { api, places, recorded, knows, record, contextFor, signal } = this.parts
    const path = await this.#findPath()
    const context = await contextFor([])
    const deletionAt = (place: StreamPlace) => toQueueEvents(toDeletion(id, place), undefined, context)
    const [deletion] = deletionAt(posted)
    if (deletion && (await knows(deletion.dedupe_key))) return
    const place = (await recorded.placeAfterMoves(id)) ?? posted
    places.put(id, place)
    // The message left the place in a move that is recorded.
    if (!path.includes(place)) return
    this.#lookups++
    const message = await api.message(id, signal)
    // The message came from elsewhere, so it may be later than the messages read of the place.
    if (message) await this.#recordChanges([message], id)
    else this.recorded += await record(deletionAt(place).map(event => ({ event, places: [place] })))
  }
}

/** A deletion as the queue reports it. */
function toDeletion(id: number, { streamId, topic }: StreamPlace) {
  const where = { stream_id: Number(streamId), ...(topic === undefined ? {} : { topic }) }
  return {
    type: 'delete_message',
    message_type: 'stream',
    message_ids: [id],
    ...where,
    rebuilt_from: 'missing_message',
  }
}
