/** A ledger that follows another one. Source: docs/decisions/0061. */
import type { Micros } from './timestamp.js'

/** The position up to which a follower has copied its leader. It is stored with the events. */
export interface FollowMark {
  /** Base address of the leader. */
  leader: string
  /** The last change that was copied, in the numbering of the leader's database. */
  changes: number
  numbering: string
  /** The newest event of the leader when the last page was copied. */
  head: Micros | null
}

/** How a ledger that followed another one became one of its own. */
export interface Promotion {
  /** UTC, six digits. */
  at: string
  /** The epoch of the ledger that it followed. */
  epoch: string
  /** The last event that both have; null if there was none. */
  through: string | null
  digest: string | null
}

export const FOLLOW_STATES = ['copying', 'in_step', 'unreachable', 'stopped'] as const

/** The status of a follower, as `GET /api/health` returns it. */
export interface FollowStatus {
  leader: string
  /**
   * `copying`: events are missing. `in_step`: it has all events of the leader. `unreachable`: the last request failed.
   * `stopped`: the leader is no longer the same ledger; copying stops until the operator decides.
   */
  state: (typeof FOLLOW_STATES)[number]
  /** Number of missing events, by the leader's last answer; null before the first one. */
  lag_events: number | null
  /** Seconds since the follower last had all events of the leader; since its start if it never had. */
  lag_seconds: number
  /** When the leader last answered. */
  last_contact_at: string | null
  /** Why the leader is unreachable, or copying has stopped. */
  problem?: string
}

export interface PromotionInput {
  /** Keeps the epoch, so that consumers notice nothing. The leader was stopped before and is not used any more. */
  keep_epoch: boolean
  /** Promotes even if the leader still answers. */
  force: boolean
}

/** A ledger that was promoted. */
export interface PromotedLedger {
  /** The ledger that it followed. */
  leader: string
  epoch: string
  head: string | null
  head_digest: string | null
  /** Number of named consumers. They continue at their checkpoints. */
  consumers: number
}

/** How often a follower in step polls: for events, and for all other state. */
export const FOLLOW_PACE = { eventsMs: 1_000, stateMs: 10_000 } as const
