import type { StoredEvent } from './event.js'
import type { Subscription } from './subscription.js'

/** How far back is looked: so many days of 24 hours, and of the source no more than so many events. */
export const SUBSCRIPTION_PREVIEW = { days: 7, examples: 3, events: 50_000 } as const

/** What a draft of a subscription would have matched, as it is served. */
export interface SubscriptionPreview {
  count: number
  /** Oldest first, each of 24 hours. The last ends now. */
  by_day: { start: string; count: number }[]
  /** The newest, newest first. */
  examples: Omit<StoredEvent, 'payload'>[]
  /** Something happened in the place that is watched, of whatever kind. */
  seen: boolean
  /** False where there was more of the source than is looked at; then it is counted from `counted_from` on. */
  complete: boolean
  counted_from: string
  /** What the draft says, in every form that the ledger would keep. */
  understood: Pick<Subscription, 'source' | 'target' | 'scope' | 'filters' | 'event_kinds' | 'actions'>
}
