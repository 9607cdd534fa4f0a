import Type, { type Static } from '#typebox'
import { EVENT_LIMITS, SOURCE_PATTERN, UNVERIFIED_KEYS } from './event-limits.js'

/** No NUL and no lone surrogate: text with these has no unique UTF-8 form, so it cannot identify anything. */
export const IDENTIFYING = '^[^\\u0000\\uD800-\\uDFFF]*$'

const Metadata = Type.Object({}, { additionalProperties: true, description: 'Free-form.' })

const ActionSchema = Type.Object(
  {
    kind: Type.Optional(Type.String()),
    object_type: Type.Optional(Type.String()),
    verb: Type.Optional(Type.String()),
    outcome: Type.Optional(
      Type.String({
        description:
          'How it ended, or its current state, if known: succeeded, failed, cancelled, running, approved … Open.',
      }),
    ),
    metadata: Type.Optional(Metadata),
  },
  { additionalProperties: true },
)

const ActorSchema = Type.Object(
  {
    id: Type.Optional(Type.String()),
    display: Type.Optional(Type.String()),
    metadata: Type.Optional(Metadata),
  },
  { additionalProperties: true, description: 'The actor. Empty strings for unknown values.' },
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
      {
        additionalProperties: true,
        description: 'The object acted on; `parent` is what contains it.',
      },
    ),
  },
  'Target',
)

const ConversationSchema = Type.Object(
  {
    key: Type.Optional(Type.String()),
    title: Type.Optional(Type.String()),
    text: Type.Optional(Type.String()),
    url: Type.Optional(Type.String()),
  },
  { additionalProperties: true },
)

const ProvenanceSchema = Type.Object(
  {
    route: Type.Enum(['api', 'webhook', 'capture', 'import', 'ledger']),
    verified: Type.Enum(['signature', 'token', 'login', 'none']),
    delivery_id: Type.Optional(Type.String()),
    key_space: Type.Optional(
      Type.Literal('unverified', {
        description: 'Posted without credentials to a closed ledger: read it by unverified:<dedupe_key>.',
      }),
    ),
  },
  { description: 'How the first delivery arrived.', readOnly: true },
)

const ErasedSchema = Type.Object(
  {
    at: Type.String({ description: 'When.' }),
    reason: Type.String(),
    by: Type.String({ description: 'Who erased it.' }),
    entry: Type.String({ description: 'Dedupe key of the event that records it, of the kind ledger.erased.' }),
  },
  { description: 'Present if the content was erased: key, kind, times and counts stay.', readOnly: true },
)

/**
 * One event, as sent and as stored. Members that the ledger sets are read-only and absent from input; unknown members
 * are kept as sent.
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
        pattern: SOURCE_PATTERN,
        maxLength: EVENT_LIMITS.sourceCharacters,
        description: 'chat, forum, code_a, code_b, or a word of your own; "api" when absent.',
      }),
    ),
    occurred_at: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'When it happened there: RFC 3339 with a zone, or null.',
      }),
    ),
    payload: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: 'What the source sent. Free-form.' }),
    ),
    captured_at: Type.Optional(Type.String({ readOnly: true, description: 'Set by the ledger: unique, increasing.' })),
    seen_count: Type.Optional(Type.Integer({ minimum: 1, readOnly: true, description: 'How many deliveries so far.' })),
    last_seen_at: Type.Optional(Type.String({ readOnly: true })),
    subscription_ids: Type.Optional(
      Type.Array(Type.String(), {
        readOnly: true,
        description: 'Subscriptions that it matched when captured, and watches that captured it later.',
      }),
    ),
    provenance: Type.Optional(ProvenanceSchema),
    erased: Type.Optional(ErasedSchema),
  },
  { title: 'Event', $id: 'event', additionalProperties: true },
)

/** An event as sent. */
export type EventInput = Static<typeof EventSchema>

export interface Action {
  kind: string
  object_type: string
  verb: string
  /** In lower snake case: `succeeded`, `failed`, `approved`. Absent if the event has none. */
  outcome?: string
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

export type ProvenanceRoute = 'api' | 'webhook' | 'capture' | 'import' | 'ledger'
export type Verification = 'signature' | 'token' | 'login' | 'none'
export const VERIFICATIONS: readonly Verification[] = ['signature', 'token', 'login', 'none']

export interface Provenance {
  route: ProvenanceRoute
  verified: Verification
  delivery_id?: string
  /**
   * Set if a caller without credentials posted the event to a closed ledger. The ledger deduplicates such events
   * separately, so that they cannot take the key of a verified event.
   */
  key_space?: 'unverified'
}

/** The key by which the ledger deduplicates and finds the event; unique in a ledger. */
export function storedKeyOf({ dedupe_key }: Pick<NewEvent, 'dedupe_key'>, { key_space }: Provenance): string {
  return key_space === undefined ? dedupe_key : toUnverifiedKey(dedupe_key)
}

export function toUnverifiedKey(dedupeKey: string): string {
  return UNVERIFIED_KEYS + dedupeKey
}

/** An event with all members filled in, before the ledger adds its own. Unknown members of the input are included. */
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

/** The mark of an event whose content was erased. */
export interface Erased {
  at: string
  reason: string
  /** Who erased it: a username, or the identity of the caller. */
  by: string
  /** Dedupe key of the event that records the erasure. */
  entry: string
}

/** Members that the ledger adds; values sent for them are ignored. */
export interface LedgerMembers {
  subscription_ids: string[]
  provenance: Provenance
  /** Present if the content was erased. */
  erased?: Erased
  captured_at: string
  seen_count: number
  last_seen_at: string
}

export const LEDGER_MEMBERS: readonly (keyof LedgerMembers)[] = [
  'subscription_ids',
  'provenance',
  'erased',
  'captured_at',
  'seen_count',
  'last_seen_at',
]

/** An event as the ledger stores and serves it. */
export type StoredEvent = NewEvent & LedgerMembers

/** The nodes of a target chain, innermost first. */
export function* targetChain(target: TargetNode | undefined): Generator<TargetNode> {
  for (let node = target; node; node = node.parent) yield node
}
