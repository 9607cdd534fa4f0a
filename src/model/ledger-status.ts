import type { FollowStatus } from './follow.js'
import type { LiveStatus } from './subscriptions/live-capture.js'

/** The status of a ledger on this machine. Instants are UTC text. */
export interface LedgerStatus {
  /** Path of the database. */
  database: string
  /** Size of the database and its WAL. */
  size_bytes: number
  /** The server that has it open; null if this command opened it. */
  server: { pid: number; address: string | null; since: string } | null
  /** Status of the server's reader of the chat event queue; null if the server has none. */
  chat_live: LiveStatus | null
  /** Null if the server is of an older release that does not report it. */
  schema_version: number | null
  event_count: number
  duplicate_count: number
  subscription_count: number
  head: string | null
  /** The digest of the newest event, in hex; null if it has none yet. */
  head_digest: string | null
  epoch: string
  /** The ledger that it follows, and the lag; null if it follows none. Without a server, only `leader` is known. */
  follows: FollowStatus | Pick<FollowStatus, 'leader'> | null
  /** The place to which it was moved; null if it was not. */
  moved_to: string | null
  /** Problems found by an integrity check; null if none was requested. */
  problems: readonly string[] | null
}
