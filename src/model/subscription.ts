import Type, { type Static } from '#typebox'

export const SUBSCRIPTION_LIMITS = { bytes: 64 * 1024, idCharacters: 128 } as const

const Metadata = Type.Object(
  {
    temporary: Type.Optional(Type.Boolean()),
    assignment_id: Type.Optional(Type.String()),
    interval_seconds: Type.Optional(Type.Integer({ minimum: 1, description: 'Seconds between two captures.' })),
    expires_at: Type.Optional(Type.String({ description: 'RFC 3339 with a zone; the watch ends then.' })),
    hot_until: Type.Optional(Type.String({ description: 'RFC 3339 with a zone; polled less often afterwards.' })),
    reason: Type.Optional(Type.String()),
    content_policy: Type.Optional(Type.String()),
    policy_boundary: Type.Optional(Type.String()),
  },
  { description: 'Free-form; the members of a temporary watch are checked.', additionalProperties: true },
)

const ScopeSchema = Type.Cyclic(
  {
    Scope: Type.Object({
      type: Type.Optional(Type.String({ description: 'Open: stream, topic, category, repository, issue …' })),
      key: Type.Optional(Type.String()),
      display: Type.Optional(Type.String()),
      url: Type.Optional(Type.String()),
      metadata: Type.Optional(Type.Object({})),
      parent: Type.Optional(Type.Ref('Scope')),
    }),
  },
  'Scope',
)

const ActionSelectorSchema = Type.Object({
  kind: Type.String({ minLength: 1, maxLength: 128, description: 'An event kind; `message.*` covers all of message.' }),
  object_type: Type.Optional(Type.String()),
  verb: Type.Optional(Type.String()),
  metadata: Type.Optional(Type.Object({})),
})

const InstantOrNull = Type.Optional(Type.Union([Type.String(), Type.Null()]))

const CaptureSchema = Type.Object(
  {
    host: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'The chat server that it was read on: ids are unique on one server only.',
      }),
    ),
    read_to: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'Newest message id that capture itself has read.' }),
    ),
    followed: Type.Optional(
      Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
        description: 'Where the place was found last, though it be renamed.',
      }),
    ),
    last_attempt_at: InstantOrNull,
    last_success_at: InstantOrNull,
    last_error: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    failures: Type.Optional(Type.Integer({ minimum: 0, description: 'In a row.' })),
    wait_until: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'The chat server wants no request before then.' }),
    ),
    next_due_at: InstantOrNull,
  },
  { readOnly: true, description: 'How the capture of this watch is getting on.' },
)

/**
 * A watch over one scope of one platform. Members that are not named here are kept as sent.
 *
 * Source: Event Ledger Service, "Subscription"; served by `GET /api/schema/subscription`.
 */
export const SubscriptionSchema = Type.Object(
  {
    id: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9][A-Za-z0-9._:@-]*$',
        maxLength: SUBSCRIPTION_LIMITS.idCharacters,
        description: 'Assigned (sub_…) when absent. Saving a known id updates it.',
      }),
    ),
    source: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]*$', maxLength: 64 }),
    target: Type.Optional(Type.String({ maxLength: 1024, description: 'For example stream:eng/topic:deploys.' })),
    scope: Type.Optional(ScopeSchema),
    actions: Type.Optional(Type.Array(ActionSelectorSchema, { maxItems: 200 })),
    event_kinds: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
        maxItems: 200,
        description: 'Kinds that match, `message.*` allowed; empty means all.',
      }),
    ),
    capture_modes: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 20 })),
    filters: Type.Optional(Type.Object({}, { description: 'For a chat topic: stream and topic.' })),
    metadata: Type.Optional(Metadata),
    enabled: Type.Optional(Type.Boolean({ description: 'True when absent.' })),
    last_cursor: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'Where capture stopped reading.' }),
    ),
    last_event_at: Type.Optional(Type.Union([Type.String(), Type.Null()], { readOnly: true })),
    capture: Type.Optional(CaptureSchema),
    owner_user_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    created_at: Type.Optional(Type.String({ readOnly: true })),
    updated_at: Type.Optional(Type.String({ readOnly: true })),
  },
  { title: 'Subscription', $id: 'subscription', additionalProperties: true },
)

/** A subscription as somebody sends it. */
export type SubscriptionInput = Static<typeof SubscriptionSchema>

export interface ActionSelector {
  kind: string
  object_type: string
  verb: string
}

export interface Scope {
  type?: string
  key?: string
  display?: string
  url?: string
  metadata?: Record<string, unknown>
  parent?: Scope
}

/** How the capture of a watch is getting on. Members that nothing is known of are absent, or null where served. */
export interface CaptureState {
  /**
   * The chat server on which the place was read, such as `chat.example.org`; `read_to` and `followed` mean nothing on
   * another. Older releases did not note it.
   */
  host?: string | null
  /**
   * Newest message id that capture itself has read. Not `last_cursor`, which a delivery on another road moves as well:
   * going on from there would skip what no other road brings. Null: it had read nothing when a delivery came.
   */
  read_to?: string | null
  /** Where the place was found last, though it be renamed; the platform's capture reads and writes it. */
  followed?: Record<string, unknown> | null
  last_attempt_at?: string | null
  last_success_at?: string | null
  last_error?: string | null
  /** In a row. */
  failures?: number
  /** The chat server wants no request before then. */
  wait_until?: string | null
  /** Only where it is served: it follows from the watch as it is set. */
  next_due_at?: string | null
}

/** A subscription as the ledger keeps and serves it. Unknown members of the input ride along. */
export interface Subscription {
  id: string
  source: string
  target: string
  scope: Scope
  actions: ActionSelector[]
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
