import Type, { type Static } from '#typebox'
import type { Failure } from '../failure.js'
import { ChatAccountSchema } from '../platforms/chat-account.js'
import { type LeftOutItems, REST_SOURCES, RestAccountSchema } from '../platforms/history.js'
import { SUBSCRIPTION_LIMITS } from './subscription.js'

export const CAPTURE_LIMITS = { backfill: 1_000_000, defaultBackfill: 100 } as const

/** What to capture: one watch, or every due one. */
export const CaptureRequestSchema = Type.Object({
  subscription_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: SUBSCRIPTION_LIMITS.idCharacters,
      description: 'Absent: every due watch.',
    }),
  ),
  backfill: Type.Integer({
    minimum: 0,
    maximum: CAPTURE_LIMITS.backfill,
    description: 'Number of newest messages to read of a watch that was never captured.',
  }),
  chat: Type.Optional(ChatAccountSchema),
  platforms: Type.Optional(
    Type.Array(RestAccountSchema, {
      maxItems: REST_SOURCES.length,
      description: 'Code hosts and a forum that may be polled; at most one of each source.',
    }),
  ),
})

export type CaptureRequest = Static<typeof CaptureRequestSchema>

/** Progress of the capture of one watch. */
export interface CaptureProgress {
  subscription_id: string
  /** Messages recorded so far. For a code host or a forum: events. */
  messages: number
  /** Seconds that the capture waits because the platform asked for it. */
  waiting_seconds?: number
}

/** Result of the capture of one watch. */
export interface WatchCapture {
  subscription_id: string
  outcome: 'captured' | 'disabled' | 'expired' | 'failed'
  /** Messages recorded, new or known. For a code host or a forum: events that the watch did not have. */
  messages: number
  created: number
  duplicates: number
  /** Newest known message id of the watch. For a code host or a forum: the instant up to which it was read. */
  last_cursor: string | null
  /** Result of polling a code host or a forum. */
  polled?: PollReport
  /** The server that an earlier capture read. Ids are only valid on one server, so this capture started again. */
  previous_host?: string
  /** The current name of the watched topic or stream, if renamed. */
  renamed_to?: string
  /** Why it failed. Recorded messages stay, and the next capture continues after them. */
  error?: Failure
}

/** What a poll of a code host or a forum left out. */
export interface PollReport {
  /** False if the next poll continues this one. */
  complete: boolean
  /** Lists that the platform does not have for this place, or does not show. */
  unavailable: { stream: string; reason: string }[]
  /** Items that became no event. */
  left_out: LeftOutItems[]
}

export interface CaptureResult {
  /** In the order of the captures. */
  captures: WatchCapture[]
  /** Due watches that were skipped because the same failure would affect them. */
  left: number
}

/** Captures since the server started. */
export interface CaptureTotals {
  outcomes: Record<WatchCapture['outcome'], number>
  /** Messages recorded. */
  created: number
  duplicates: number
}
