/** The position up to which a chat server's event queue has been read. */
export interface QueueMark {
  /** Address of the server, and the account. Another account cannot read the queue. */
  account: string
  queue_id: string
  /** All events of the queue up to this one are recorded. */
  last_event_id: number
}

/**
 * `starting`: the queue is not registered yet. `standby`: another server reads it. `catching_up`: it is registered, and
 * each watch is captured once. `live`: its events are recorded as they arrive. `lost`: it cannot be read, and capture
 * by interval continues.
 */
export const LIVE_STATES = ['starting', 'standby', 'catching_up', 'live', 'lost'] as const
export type LiveState = (typeof LIVE_STATES)[number]

/** How this server reads the event queue of the chat server. */
export interface LiveStatus {
  state: LiveState
  /** When the state began: UTC with six digits. */
  since: string
  /** The code of the failure, while the state is `lost`. */
  code?: string
}

/** Report of a server about its reader of the queue. */
export interface LiveReport {
  status: LiveStatus
  totals: LiveTotals
}

/** Totals since the server started. */
export interface LiveTotals {
  created: number
  duplicates: number
  /** Queues that were registered. */
  registered: number
  /** How often the state became `lost`, or the chat server no longer had the queue. */
  lost: number
}
