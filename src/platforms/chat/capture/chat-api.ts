import type { Payload } from '../../payload.js'
import type { ChatUser } from '../context.js'

/** What capture asks of a chat server. Source: the platform's notes, sections 2.4 and 2.5. */
export interface ChatApi {
  /** How far the server's API has come; 0 for one that is too old to say. */
  featureLevel(signal?: AbortSignal): Promise<number>
  /** A window around an anchor. @throws AppError `invalid/chat_narrow_refused` for a narrow that means nothing there */
  messages(query: MessageQuery, signal?: AbortSignal): Promise<MessagePage>
  /** The people of the server, by id. */
  users(signal?: AbortSignal): Promise<ReadonlyMap<string, ChatUser>>
}

export interface NarrowTerm {
  operator: 'stream' | 'topic' | 'with'
  operand: string | number
}

export interface MessageQuery {
  narrow: readonly NarrowTerm[]
  anchor: number | 'newest'
  /** How many older than the anchor. */
  before: number
  /** How many newer than the anchor. */
  after: number
  /** Only servers from version 6 on leave it out. */
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

/** What may be asked for at once: the platform allows five times as much, and asks for this. */
export const MAX_PAGE_MESSAGES = 1_000
