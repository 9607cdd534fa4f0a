/** Responses of the ledger's API, as far as the pages use them. Source: `GET /api/openapi.json`. */
import type { Role } from '#model/accounts/user'
import type { StoredEvent } from '#model/events/event'
import type { Facet } from '#model/events/event-facets'
import type { Subscription } from '#model/subscriptions/subscription'
import type { TargetForm } from '#model/subscriptions/target-grammar'

export interface EventPage {
  items: StoredEvent[]
  count: number
  latest_captured_at: string | null
  next_since: string | null
  has_more: boolean
  head: string | null
  epoch: string
}

/** The events of one story, oldest first. */
export interface EventStory {
  items: StoryPart[]
  /** False if there may be more. */
  complete: boolean
}

export interface StoryPart {
  /** Its payload is left out. */
  event: StoredEvent
  /** What it shares with another event of the story. */
  facts: string[]
}

/** Number of events over a range, in equal parts. */
export interface EventHistogram {
  /** Both ends included; null if it cannot contain anything. */
  from: string | null
  to: string | null
  /** Start of each part; it ends before the next one, the last one at `to`. */
  starts: string[]
  /** Null if a part is not counted completely. */
  counts: (number | null)[]
  count: number
  by_source: Record<string, { count: number; counts: (number | null)[] }>
  /** Only if requested. */
  by_outcome?: Record<string, { count: number; counts: (number | null)[] }>
  complete: boolean
  counted_from: string | null
  head: string | null
  epoch: string
}

/** Values of the matching events, most frequent first. */
export interface EventFacets {
  count: number
  facets: Record<Facet, { value: string; count: number }[]>
  /** False if only the newest events are counted. */
  complete: boolean
}

export interface SourceCounts {
  events: number
  duplicates: number
  latest_captured_at: string | null
}

export interface Stats {
  event_count: number
  duplicate_count: number
  subscription_count: number
  by_source: Record<string, SourceCounts>
  by_kind: Record<string, number>
  first_captured_at: string | null
  latest_captured_at: string | null
  /** Since the server started. */
  refused_deliveries: { since: string; items: { source: string; code: string; count: number; last_at: string }[] }
}

export interface Health {
  status: 'ok' | 'unavailable'
  database: string
  version: string
  engine: 'sqlite' | 'postgres'
  head: string | null
  /** Absent from an older server. */
  head_digest?: string | null
  epoch?: string
  warnings?: { code: string; detail: string }[]
  code?: string
  detail?: string
}

export interface Session {
  /** A login is needed. */
  admin_required: boolean
  authenticated: boolean
  user: { id: string; username: string; role: Role } | null
  is_bootstrap_admin: boolean
  csrf_token: string | null
}

/** A platform of the catalogue. */
export interface Platform {
  source: string
  display_name: string
  webhook_path: string
  verification: string
  secret_configured: boolean
  /** Address of the platform's server, if configured. */
  site?: string
  kinds: string[]
  actions: { kind: string; object_type: string; verb: string }[]
  scope_types: string[]
  target_grammar: TargetForm[]
  capture_modes: string[]
}

export interface SubscriptionPage extends List<Subscription> {
  /** Send it as `after` for the next page; null at the end. */
  next: string | null
}

export interface List<T> {
  items: T[]
  count: number
}
