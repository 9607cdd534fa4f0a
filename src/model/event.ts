import Type, { type Static } from '#typebox'
import { EVENT_LIMITS } from './event-limits.js'

/** No NUL and no lone surrogate: such text has no one form in UTF-8, so it cannot identify anything. */
const IDENTIFYING = '^[^\\u0000\\uD800-\\uDFFF]*$'

const Metadata = Type.Object({}, { description: 'Free-form.' })

const ActionSchema = Type.Object({
  kind: Type.Optional(Type.String()),
  object_type: Type.Optional(Type.String()),
  verb: Type.Optional(Type.String()),
  metadata: Type.Optional(Metadata),
})

const ActorSchema = Type.Object(
  {
    id: Type.Optional(Type.String()),
    display: Type.Optional(Type.String()),
    metadata: Type.Optional(Metadata),
  },
  { description: 'Who did it. Empty strings where the source does not say.' },
)

const TargetSchema = Type.Cyclic(
  {
    Target: Type.Object(
      {
        type: Type.Optional(Type.String()),
        key: Type.Optional(Type.String()),
        display: Type.Optional(Type.String()),
        url: Type.Optional(Type.String()),
        metadata: Type.Optional(Metadata),
        parent: Type.Optional(Type.Ref('Target')),
      },
      { description: 'The concrete thing acted on; `parent` walks outwards to what carries it.' },
    ),
  },
  'Target',
)

const ConversationSchema = Type.Object({
  key: Type.Optional(Type.String()),
  title: Type.Optional(Type.String()),
  text: Type.Optional(Type.String()),
  url: Type.Optional(Type.String()),
})

const ProvenanceSchema = Type.Object(
  {
    route: Type.Enum(['api', 'webhook', 'capture', 'import']),
    verified: Type.Enum(['signature', 'token', 'login', 'none']),
    delivery_id: Type.Optional(Type.String()),
  },
  { description: 'How the first delivery came in.', readOnly: true },
)

/**
 * One event, as it may be sent and as it is stored: what the ledger sets itself is read-only and absent from input.
 * Members that are not named here are kept as sent.
 *
 * Source: Event Ledger Service, "Event (normalized)"; served by `GET /api/schema/event`.
 */
export const EventSchema = Type.Object(
  {
    dedupe_key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: EVENT_LIMITS.dedupeKeyCharacters,
        pattern: IDENTIFYING,
        description: 'Identity of the event across deliveries. Derived from the event when absent.',
      }),
    ),
    kind: Type.String({
      minLength: 1,
      maxLength: EVENT_LIMITS.kindCharacters,
      pattern: IDENTIFYING,
      description: 'Usually `<object>.<verb>`, such as message.created. Open.',
    }),
    subject_id: Type.String({ minLength: 1, maxLength: EVENT_LIMITS.subjectIdCharacters, pattern: IDENTIFYING }),
    subject_type: Type.String({ minLength: 1, maxLength: EVENT_LIMITS.kindCharacters, pattern: IDENTIFYING }),
    action: Type.Optional(ActionSchema),
    actor: Type.Optional(ActorSchema),
    actor_role: Type.Optional(Type.String({ description: 'Open: maintainer, member, bot, moderator …' })),
    target: Type.Optional(TargetSchema),
    conversation: Type.Optional(ConversationSchema),
    source: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]*$',
        maxLength: EVENT_LIMITS.sourceCharacters,
        description: 'chat, forum, code_a, code_b, or a word of your own; "api" when absent.',
      }),
    ),
    occurred_at: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'When it happened there: RFC 3339 with a zone, or null.',
      }),
    ),
    payload: Type.Optional(Type.Object({}, { description: 'What the source sent. Free-form.' })),
    captured_at: Type.Optional(Type.String({ readOnly: true, description: 'Set by the ledger: unique, increasing.' })),
    seen_count: Type.Optional(Type.Integer({ minimum: 1, readOnly: true, description: 'How many deliveries so far.' })),
    last_seen_at: Type.Optional(Type.String({ readOnly: true })),
    subscription_ids: Type.Optional(
      Type.Array(Type.String(), {
        readOnly: true,
        description: 'Subscriptions that it matched when captured, and watches that came upon it later.',
      }),
    ),
    provenance: Type.Optional(ProvenanceSchema),
  },
  { title: 'Event', $id: 'event', additionalProperties: true },
)

/** An event as somebody sends it. */
export type EventInput = Static<typeof EventSchema>

export interface Action {
  kind: string
  object_type: string
  verb: string
  metadata: Record<string, unknown>
}

export interface Actor {
  id: string
  display: string
  metadata: Record<string, unknown>
}

export interface TargetNode {
  type?: string
  key?: string
  display?: string
  url?: string
  metadata?: Record<string, unknown>
  parent?: TargetNode
}

export interface Conversation {
  key?: string
  title?: string
  text?: string
  url?: string
}

export type ProvenanceRoute = 'api' | 'webhook' | 'capture' | 'import'
export type Verification = 'signature' | 'token' | 'login' | 'none'
export const VERIFICATIONS: readonly Verification[] = ['signature', 'token', 'login', 'none']

export interface Provenance {
  route: ProvenanceRoute
  verified: Verification
  delivery_id?: string
}

/** An event with every member filled in, before the ledger gives it a place. Unknown members of the input ride along. */
export interface NewEvent {
  dedupe_key: string
  kind: string
  subject_id: string
  subject_type: string
  action: Action
  actor: Actor
  actor_role: string
  target: TargetNode
  conversation: Conversation
  source: string
  occurred_at: string | null
  payload: Record<string, unknown>
}

/** What the ledger adds; values sent for these members are ignored. */
export interface LedgerMembers {
  subscription_ids: string[]
  provenance: Provenance
  captured_at: string
  seen_count: number
  last_seen_at: string
}

export const LEDGER_MEMBERS: readonly (keyof LedgerMembers)[] = [
  'subscription_ids',
  'provenance',
  'captured_at',
  'seen_count',
  'last_seen_at',
]

/** An event as the ledger keeps and serves it. */
export type StoredEvent = NewEvent & LedgerMembers

/** The nodes of a target chain, from the thing itself outwards. */
export function* targetChain(target: TargetNode | undefined): Generator<TargetNode> {
  for (let node = target; node; node = node.parent) yield node
}
