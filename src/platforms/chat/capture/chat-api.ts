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
  /** The users of the server, by id. */
  users(signal?: AbortSignal): Promise<ReadonlyMap<string, ChatUser>>
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
}

/** Messages per request: a fifth of the platform's maximum, as its documentation asks. */
export const MAX_PAGE_MESSAGES = 1_000
