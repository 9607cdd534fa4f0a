import Type, { type Static } from '#typebox'
import { ChatAccountSchema } from './chat-account.js'
import type { Failure } from './failure.js'
import { SUBSCRIPTION_LIMITS } from './subscription.js'

export const CAPTURE_LIMITS = { backfill: 1_000_000, defaultBackfill: 100 } as const

/** What is to be captured: one watch, or every one that is due. */
export const CaptureRequestSchema = Type.Object({
  subscription_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: SUBSCRIPTION_LIMITS.idCharacters,
      description: 'Without it, every watch that is due.',
    }),
  ),
  backfill: Type.Integer({
    minimum: 0,
    maximum: CAPTURE_LIMITS.backfill,
    description: 'How many of the newest messages are read of a watch that was never captured.',
  }),
  chat: ChatAccountSchema,
})

export type CaptureRequest = Static<typeof CaptureRequestSchema>

/** How far the capture of one watch has come. */
export interface CaptureProgress {
  subscription_id: string
  /** Messages that are recorded. */
  messages: number
  /** It waits that long because the platform asks for it. */
  waiting_seconds?: number
}

/** What became of the capture of one watch. */
export interface WatchCapture {
  subscription_id: string
  outcome: 'captured' | 'disabled' | 'expired' | 'failed'
  /** Messages that were recorded, whether new or known. */
  messages: number
  created: number
  duplicates: number
  /** Newest message id that is known of the watch. */
  last_cursor: string | null
  /** The watch was read on this server before. Ids mean nothing on another one, so it was begun anew. */
  previous_host?: string
  /** Why it failed. What was recorded before stays, and is where the next time goes on from. */
  error?: Failure
}

/** What is told while a capture runs on behalf of somebody, and at its end. */
export type CaptureLine = { progress: CaptureProgress } | { result: CaptureResult } | { failure: Failure }

export interface CaptureResult {
  /** In the order in which they were captured. */
  captures: WatchCapture[]
  /** Watches that are due and were left, as what failed before would fail for them as well. */
  left: number
}
