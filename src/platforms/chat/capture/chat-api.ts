import type { Payload } from '../../mapping/payload.js'
import type { ChatUser } from '../context.js'

/** The calls that capture makes to a chat server. Source: the platform's notes, sections 2.4 and 2.5. */
export interface ChatApi {
  /** The server's feature level; 0 if it is too old to have one. */
  featureLevel(signal?: AbortSignal): Promise<number>
  /**
   * A window around an anchor. @throws AppError `invalid/chat_narrow_refused` for a narrow that the server does not
   * know
   */
  messages(query: MessageQuery, signal?: AbortSignal): Promise<MessagePage>
  /**
   * One message in any place that the account can see. Servers before version 5 show only that it exists.
   *
   * @returns undefined if there is none, or the account cannot see it
   */
  message(id: number, signal?: AbortSignal): Promise<ChatMessage | undefined>
  /** The users of the server, by id. */
  users(signal?: AbortSignal): Promise<ReadonlyMap<string, ChatUser>>
}

/** The calls that read a chat server's event queue. Source: Zulip API, `POST /register` and `GET /events`. */
export interface QueueApi {
  /** Registers a queue for events in the streams that the account is subscribed to. */
  registerQueue(signal?: AbortSignal): Promise<ChatQueue>
  /**
   * The events after the last one that was read. The request acknowledges that one. Unless `isWaiting` is false, waits
   * for an event until the server sends a heartbeat.
   *
   * @throws AppError `unavailable/chat_queue_lost` if the server no longer has the queue, or these events
   */
  queueEvents(queue: ChatQueue, options?: { isWaiting?: boolean }, signal?: AbortSignal): Promise<QueueEvents>
}

export interface ChatQueue {
  id: string
  /** The last event that was read; -1 for none. */
  lastEventId: number
  /** Maximum duration of a request for events: longer than the time between two heartbeats. */
  waitSeconds: number
}

export interface QueueEvents {
  /** As received, in the order of their ids, heartbeats included. */
  events: Payload[]
  lastEventId: number
}

export interface NarrowTerm {
  operator: 'stream' | 'topic' | 'with'
  operand: string | number
}

export interface MessageQuery {
  narrow: readonly NarrowTerm[]
  anchor: number | 'newest'
  /** Number of messages older than the anchor. */
  before: number
  /** Number of messages newer than the anchor. */
  after: number
  /** Servers before version 6 always include the anchor. */
  withAnchor: boolean
}

export interface ChatMessage {
  id: number
  payload: Payload
}

export interface MessagePage {
  /** By id, ascending. */
  messages: ChatMessage[]
  foundNewest: boolean
  foundOldest: boolean
  /** Because of its plan, the server does not show older messages, although it has them. */
  isLimited: boolean
}

/** Messages per request: a fifth of the platform's maximum, as its documentation asks. */
export const MAX_PAGE_MESSAGES = 1_000
