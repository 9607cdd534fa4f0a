import Type, { type Static } from '#typebox'
import type { Failure } from '../failure.js'
import { ChatAccountSchema } from '../platforms/chat-account.js'
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
  chat: ChatAccountSchema,
})

export type CaptureRequest = Static<typeof CaptureRequestSchema>

/** Progress of the capture of one watch. */
export interface CaptureProgress {
  subscription_id: string
  /** Messages recorded so far. */
  messages: number
  /** The capture waits this long because the platform asked for it. */
  waiting_seconds?: number
}

/** Result of the capture of one watch. */
export interface WatchCapture {
  subscription_id: string
  outcome: 'captured' | 'disabled' | 'expired' | 'failed'
  /** Messages recorded, new or known. */
  messages: number
  created: number
  duplicates: number
  /** Newest message id known of the watch. */
  last_cursor: string | null
  /**
   * The server on which the watch was read before. Ids do not carry over, so this capture started from the beginning.
   */
  previous_host?: string
  /** The current name of the watched topic or stream, if renamed. */
  renamed_to?: string
  /** Why it failed. Recorded messages stay, and the next capture continues after them. */
  error?: Failure
}

export interface CaptureResult {
  /** In order of capture. */
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
