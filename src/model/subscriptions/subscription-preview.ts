import type { StoredEvent } from '../events/event.js'
import type { Subscription } from './subscription.js'

/** How far back a preview looks: days of 24 hours each, and at most this many events of the source. */
export const SUBSCRIPTION_PREVIEW = { days: 7, examples: 3, events: 50_000 } as const

/** The events that a draft of a subscription would have matched, as served. */
export interface SubscriptionPreview {
  count: number
  /** Oldest first, 24 hours each. The last day ends now. */
  by_day: { start: string; count: number }[]
  /** The newest, newest first. */
  examples: Omit<StoredEvent, 'payload'>[]
  /** Whether any event happened in the watched place, of any kind. */
  seen: boolean
  /** False if the source has more events than a preview reads. The preview then counts from `counted_from` on. */
  complete: boolean
  counted_from: string
  /** The draft in every form that the ledger would store. */
  understood: Pick<Subscription, 'source' | 'target' | 'scope' | 'filters' | 'event_kinds' | 'actions'>
}
