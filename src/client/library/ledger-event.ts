/** An event as the ledger returns it. Other members are as its writer sent them. */
export interface LedgerEvent {
  /** Identity of the event across deliveries. */
  dedupe_key: string
  /** Its place in the ledger: RFC 3339 with six digits and `Z`. */
  captured_at: string
  source: string
  kind: string
  subject_type: string
  subject_id: string
  occurred_at?: string | null
  action?: { kind?: string; object_type?: string; verb?: string; outcome?: string; metadata?: Record<string, unknown> }
  actor?: { id?: string; display?: string; metadata?: Record<string, unknown> }
  target?: EventTarget
  conversation?: { key?: string; title?: string; text?: string; url?: string }
  payload?: unknown
  [member: string]: unknown
}

export interface EventTarget {
  type?: string
  key?: string
  display?: string
  url?: string
  metadata?: Record<string, unknown>
  /** The target that contains this one. */
  parent?: EventTarget
}

type Values = string | readonly string[]

/** The filters of `GET /api/events` by name. Any of several values matches; an event must match all filters. */
export interface EventFilters {
  source?: Values
  /** `build.failed`, or `build.*`. */
  kind?: Values
  subscription_id?: Values
  subject_id?: string
  occurred_from?: string
  occurred_to?: string
  actor?: Values
  target?: string
  /** `signature`, `token`, `login` or `none`: how its delivery was verified. */
  verified?: Values
  outcome?: Values
  exclude_source?: Values
  exclude_kind?: Values
  exclude_actor?: Values
  exclude_target?: Values
  exclude_outcome?: Values
  exclude_q?: Values
  /** Search text. */
  q?: string
}

export const ORDER_KEYS = ['subject', 'source', 'actor', 'target', 'all', 'none'] as const

/** Events with an equal value of this member are handled in order. `all`: all of them; `none`: there is no order. */
export type OrderKey = (typeof ORDER_KEYS)[number]

export const ORDER_KEY_OF: Record<OrderKey, (event: LedgerEvent) => string> = {
  subject: ({ source, subject_type, subject_id }) => JSON.stringify([source, subject_type, subject_id]),
  source: ({ source }) => source,
  actor: ({ source, actor }) => JSON.stringify([source, actor?.id]),
  target: ({ source, target }) => JSON.stringify([source, target?.key]),
  all: () => '',
  none: ({ dedupe_key, captured_at }) => JSON.stringify([dedupe_key, captured_at]),
}
