/** Responses of the ledger's API, as far as the pages use them. Source: `GET /api/openapi.json`. */

export interface TargetNode {
  type?: string
  key?: string
  display?: string
  url?: string
  metadata?: Record<string, unknown>
  parent?: TargetNode
}

export type Verified = 'signature' | 'token' | 'login' | 'none'

export interface LedgerEvent {
  dedupe_key: string
  kind: string
  subject_id: string
  subject_type: string
  action: { kind: string; object_type: string; verb: string; outcome?: string; metadata: Record<string, unknown> }
  actor: { id: string; display: string; metadata: Record<string, unknown> }
  actor_role: string
  target: TargetNode
  conversation: { key?: string; title?: string; text?: string; url?: string }
  source: string
  occurred_at: string | null
  payload: Record<string, unknown>
  subscription_ids: string[]
  provenance: {
    route: 'api' | 'webhook' | 'capture' | 'import'
    verified: Verified
    delivery_id?: string
    key_space?: 'unverified'
  }
  /** UTC with six digits. */
  captured_at: string
  seen_count: number
  last_seen_at: string
}

export interface EventPage {
  items: LedgerEvent[]
  count: number
  latest_captured_at: string | null
  next_since: string | null
  has_more: boolean
  head: string | null
  epoch: string
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
  complete: boolean
  counted_from: string | null
  head: string | null
  epoch: string
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
}

export interface Health {
  status: 'ok' | 'unavailable'
  database: string
  version: string
  engine: 'sqlite' | 'postgres'
  head: string | null
  epoch?: string
  code?: string
  detail?: string
}

export type Role = 'admin' | 'member'

export interface Session {
  /** A login is needed. */
  admin_required: boolean
  authenticated: boolean
  user: { id: string; username: string; role: Role } | null
  is_bootstrap_admin: boolean
  csrf_token: string | null
}

export interface CaptureState {
  last_attempt_at?: string | null
  last_success_at?: string | null
  last_error?: string | null
  /** Consecutive. */
  failures?: number
  wait_until?: string | null
  next_due_at?: string | null
}

export interface Subscription {
  id: string
  source: string
  target: string
  scope: TargetNode
  actions: { kind: string; object_type?: string; verb?: string }[]
  event_kinds: string[]
  capture_modes: string[]
  filters: Record<string, unknown>
  metadata: Record<string, unknown>
  enabled: boolean
  last_cursor: string | null
  last_event_at: string | null
  capture?: CaptureState
  owner_user_id: string | null
  created_at: string
  updated_at: string
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
  target_grammar: { form: string; example: string }[]
  capture_modes: string[]
}

export interface User {
  id: string
  username: string
  role: Role
  enabled: boolean
  created_at: string
  updated_at: string
  /** Number of its API tokens; only in the list of users. */
  token_count?: number
}

/** `all`: everything its user may do. `write`: only record events of `sources`. */
export interface TokenRights {
  may: 'all' | 'write'
  sources: string[]
}

export interface ApiToken extends TokenRights {
  id: string
  prefix: string
  created_at: string
  last_used_at: string | null
}

/** The token itself is shown only once. */
export interface IssuedToken extends TokenRights {
  id: string
  token: string
  prefix: string
  created_at: string
}

export interface SubscriptionPage extends List<Subscription> {
  /** Send it as `after` for the next page; null at the end. */
  next: string | null
}

export interface List<T> {
  items: T[]
  count: number
}
