import Type, { type Static } from '#typebox'
import { IDENTIFYING } from '../events/event.js'
import { TARGET_CHARACTERS } from './target-grammar.js'

export const SUBSCRIPTION_LIMITS = {
  bytes: 64 * 1024,
  idCharacters: 128,
  /** Per owner, unless configured. */
  perOwner: 1_000,
  /** Per page of the list. */
  page: 500,
} as const

/** One page of the list of subscriptions, by id. */
export interface SubscriptionPage {
  items: Subscription[]
  /** The id after which the next page begins; null at the end. */
  next: string | null
}

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

const FreeForm = Type.Object({}, { additionalProperties: true })

const ScopeSchema = Type.Cyclic(
  {
    Scope: Type.Object(
      {
        type: Type.Optional(Type.String({ description: 'Open: stream, topic, category, repository, issue …' })),
        key: Type.Optional(Type.String()),
        display: Type.Optional(Type.String()),
        url: Type.Optional(Type.String()),
        metadata: Type.Optional(FreeForm),
        parent: Type.Optional(Type.Ref('Scope')),
      },
      { additionalProperties: true },
    ),
  },
  'Scope',
)

const ActionSelectorSchema = Type.Object(
  {
    kind: Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'An event kind; `message.*` covers all of message.',
    }),
    object_type: Type.Optional(Type.String()),
    verb: Type.Optional(Type.String()),
    metadata: Type.Optional(FreeForm),
  },
  { additionalProperties: true },
)

const InstantOrNull = Type.Optional(Type.Union([Type.String(), Type.Null()]))

const CaptureSchema = Type.Object(
  {
    host: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'The server that it was read on: ids are unique on one server only.',
      }),
    ),
    read_to: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'Newest message id that capture itself has read; of a code host or a forum, an instant.',
      }),
    ),
    reread: Type.Optional(
      Type.Union([Type.Object({ from: Type.String(), next: Type.String(), since: Type.String() }), Type.Null()], {
        description: 'The next capture reads again from `from`; `next`, read by `since`, is to take its place.',
      }),
    ),
    followed: Type.Optional(
      Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
        description: 'Where the place was last found, even if renamed.',
      }),
    ),
    unfinished: Type.Optional(
      Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
        description: 'How far the lists of a code host or a forum were read, if the next capture continues there.',
      }),
    ),
    tracked: Type.Optional(
      Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
        description: 'Of a chat place: since when edits, moves and deletions are recorded, and by which event queue.',
      }),
    ),
    last_attempt_at: InstantOrNull,
    last_success_at: InstantOrNull,
    last_error: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    failures: Type.Optional(Type.Integer({ minimum: 0, description: 'Consecutive.' })),
    wait_until: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'No request before then, as the platform asked.' }),
    ),
    next_due_at: InstantOrNull,
  },
  { readOnly: true, description: 'State of the capture of this watch.' },
)

/**
 * A watch over one scope of one platform. Members not named here are kept as sent.
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
    target: Type.Optional(
      Type.String({ maxLength: TARGET_CHARACTERS, description: 'For example stream:eng/topic:deploys.' }),
    ),
    scope: Type.Optional(ScopeSchema),
    actions: Type.Optional(Type.Array(ActionSelectorSchema, { maxItems: 200 })),
    event_kinds: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
        maxItems: 200,
        description: 'Kinds that match, `message.*` allowed; empty means all.',
      }),
    ),
    capture_modes: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 20 })),
    filters: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: 'For a chat topic: stream and topic.' }),
    ),
    metadata: Type.Optional(Metadata),
    enabled: Type.Optional(Type.Boolean({ description: 'True when absent.' })),
    last_cursor: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'Where capture stopped reading.' }),
    ),
    last_event_at: Type.Optional(Type.Union([Type.String(), Type.Null()], { readOnly: true })),
    capture: Type.Optional(CaptureSchema),
    problem: Type.Optional(
      Type.String({ readOnly: true, description: 'Which part is damaged or unusable, and what to do.' }),
    ),
    owner_user_id: Type.Optional(Type.Union([Type.String({ pattern: IDENTIFYING }), Type.Null()])),
    created_at: Type.Optional(Type.String({ readOnly: true })),
    updated_at: Type.Optional(Type.String({ readOnly: true })),
  },
  { title: 'Subscription', $id: 'subscription', additionalProperties: true },
)

/** Members that no caller sets, and those that cannot be cleared. */
const { capture, problem, source, ...clearable } = SubscriptionSchema.properties

/**
 * What may be sent to save a subscription, for the API description: a change has only some members, and null clears one.
 * Validation reads the merged subscription.
 */
export const SubscriptionChangeSchema = Type.Object(
  {
    source: Type.Optional(Type.Unsafe({ ...source, description: 'Required for a new subscription.' })),
    ...Object.fromEntries(
      Object.entries(clearable).map(([name, schema]) => [name, Type.Optional(Type.Union([schema, Type.Null()]))]),
    ),
  },
  { additionalProperties: true },
)

/** A subscription as sent. */
export type SubscriptionInput = Static<typeof SubscriptionSchema>

interface ActionSelector {
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

/** State of a watch's capture. Unknown members are absent, or null where served. */
export interface CaptureState {
  /**
   * The server on which the place was read, such as `chat.example.org`; `read_to` and `followed` are meaningless
   * on another. Older releases did not store it.
   */
  host?: string | null
  /**
   * Newest message id that capture itself has read. `last_cursor` also moves with deliveries by other routes, so a
   * capture that continued from it would skip messages. Null: nothing was read when a delivery arrived.
   * For a code host or a forum: everything that happened before this instant was read.
   */
  read_to?: string | null
  /** Message ids from which capture reads again: a message may become visible after one with a greater id. */
  reread?: { from: string; next: string; since: string } | null
  /** Where the place was last found, also after a rename. The platform's capture reads and writes it. */
  followed?: Record<string, unknown> | null
  /** How far the lists of a code host or a forum were read. Their poll reads and writes it. */
  unfinished?: Record<string, unknown> | null
  /** The start of recorded message changes, and their event queue. The reader of the queue reads and writes it. */
  tracked?: Record<string, unknown> | null
  last_attempt_at?: string | null
  last_success_at?: string | null
  last_error?: string | null
  /** Consecutive failures. */
  failures?: number
  /** The platform asked for no requests before this time. */
  wait_until?: string | null
  /** Only in responses: computed from the watch's settings. */
  next_due_at?: string | null
}

/** A subscription as the ledger stores and serves it. Unknown members of the input are included. */
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
  /** Which part of the subscription is damaged or unusable, and what to do. Absent if none is. Never stored. */
  problem?: string
  owner_user_id: string | null
  created_at: string
  updated_at: string
}
