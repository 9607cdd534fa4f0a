import Type, { type Static } from '#typebox'
import { PLATFORM_SOURCES } from '../platforms/platform-source.js'

export const SOURCE_LIMITS = {
  /** Maximum size of a definition as JSON. */
  bytes: 64 * 1024,
  /** In one ledger. */
  sources: 1_000,
  rules: 50,
  secrets: 5,
  secretCharacters: 1_024,
  templateCharacters: 1_000,
  /** `{…}` in one template. */
  placeholders: 20,
  /** `[member=text]` in one definition. Each of these searches a list. */
  searches: 200,
  /** Events of one delivery. */
  events: 5_000,
  nameCharacters: 40,
} as const

/** How often a feed is read. */
export const FEED_SECONDS = 900

const SOURCE_NAME = '^[a-z][a-z0-9_-]{0,39}$'
/** Sources with a meaning of their own. An operator's source must not write into their key spaces. */
export const RESERVED_SOURCES: readonly string[] = [...PLATFORM_SOURCES, 'api', 'cloudevents', 'ledger', 'unverified']

const Text = Type.String({ minLength: 1, maxLength: SOURCE_LIMITS.templateCharacters })
const Header = Type.String({ pattern: '^[A-Za-z0-9-]{1,100}$', description: 'Name of a header.' })
const Prefix = Type.Optional(Type.String({ maxLength: 100, description: 'Text before the value.' }))

const Alternative = Type.Union([
  Text,
  Type.Object(
    {
      template: Text,
      strip: Type.Optional(
        Type.String({ minLength: 1, maxLength: 200, description: 'What is removed where the result begins with it.' }),
      ),
      map: Type.Optional(Type.Record(Type.String({ maxLength: 200 }), Type.String({ maxLength: 200 }))),
      default: Type.Optional(Type.String({ maxLength: SOURCE_LIMITS.templateCharacters })),
    },
    { additionalProperties: false },
  ),
])

const Value = Type.Union([Alternative, Type.Array(Alternative, { minItems: 1, maxItems: 8 })], {
  description:
    'A template, one with a map of its results and a default, or a list of which the first with a result counts.',
})

const Fixed = Type.Union([Type.Number(), Type.Boolean()])

const Signed = Type.Object(
  { hmac: Text },
  { additionalProperties: false, description: 'The HMAC of a value, by the algorithm and the encoding of the proof.' },
)

const Scalar = Type.Union([Type.String({ maxLength: 1_000 }), Type.Number(), Type.Boolean(), Type.Null()])

const ConditionSchema = Type.Object(
  {
    at: Type.String({ maxLength: 500, description: 'A place, such as /status, ./status or header:x-event.' }),
    is: Type.Optional(Type.Union([Scalar, Type.Array(Scalar, { minItems: 1, maxItems: 100 })])),
    starts_with: Type.Optional(Text),
    exists: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false, description: 'Exactly one of is, starts_with and exists.' },
)
const Conditions = Type.Array(ConditionSchema, { maxItems: 20 })

const NodeSchema = Type.Object(
  {
    type: Type.String({ pattern: '^[a-z][a-z0-9_]{0,59}$' }),
    id: Value,
    display: Type.Optional(Value),
    url: Type.Optional(Value),
  },
  { additionalProperties: false },
)

const RuleSchema = Type.Object(
  {
    when: Type.Optional(Conditions),
    kind: Value,
    subject_id: Value,
    subject_type: Type.Optional(Value),
    verb: Type.Optional(Value),
    outcome: Type.Optional(Value),
    actor: Type.Optional(
      Type.Object(
        { id: Type.Optional(Value), display: Type.Optional(Value), email: Type.Optional(Value) },
        { additionalProperties: false },
      ),
    ),
    actor_role: Type.Optional(Value),
    target: Type.Optional(Type.Array(NodeSchema, { minItems: 1, maxItems: 8, description: 'Innermost first.' })),
    title: Type.Optional(Value),
    text: Type.Optional(Value),
    url: Type.Optional(Value),
    time: Type.Optional(Value),
    key: Type.Optional(Value),
  },
  { additionalProperties: false },
)

const TimestampSchema = Type.Object(
  {
    header: Header,
    prefix: Prefix,
    tolerance_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400 })),
  },
  { additionalProperties: false, description: 'Epoch seconds or milliseconds, or RFC 3339, signed as {timestamp}.' },
)

const Token = Type.Object(
  { type: Type.Literal('token'), header: Header, prefix: Prefix },
  { additionalProperties: false },
)
const QueryParameter = Type.String({
  pattern: '^[A-Za-z0-9._~-]{1,100}$',
  description: 'Name in the query of the address.',
})
const Basic = Type.Object(
  { type: Type.Literal('basic'), username: Type.String({ minLength: 1, maxLength: 200, pattern: '^[^:]*$' }) },
  { additionalProperties: false },
)

const Signature = {
  header: Header,
  prefix: Prefix,
  separator: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1, description: 'Between several values of the header.' }),
  ),
  encoding: Type.Enum(['hex', 'base64']),
  signed: Type.Optional(
    Type.String({
      maxLength: 500,
      description: 'Of {body} or {form}, {timestamp}, {header:<name>} and text; "{body}" when absent.',
    }),
  ),
  timestamp: Type.Optional(TimestampSchema),
}

const ProofSchema = Type.Union([
  Type.Object({ type: Type.Literal('none') }, { additionalProperties: false }),
  Token,
  Type.Object(
    { type: Type.Literal('query'), parameter: QueryParameter },
    { additionalProperties: false, description: 'For senders that are given an address only.' },
  ),
  Basic,
  Type.Object(
    { type: Type.Literal('body'), at: Type.String({ maxLength: 500, description: 'JSON Pointer of the secret.' }) },
    { additionalProperties: false },
  ),
  Type.Object({ type: Type.Literal('standard') }, { additionalProperties: false }),
  Type.Object({ type: Type.Literal('slack') }, { additionalProperties: false }),
  Type.Object(
    {
      type: Type.Literal('feed'),
      url: Type.String({ pattern: '^https?://', maxLength: 2_000 }),
      login: Type.Optional(
        Type.Union([Basic, Token], {
          description: 'How the server shows the secret of the source to that of the feed.',
        }),
      ),
      every_seconds: Type.Optional(
        Type.Integer({ minimum: 60, maximum: 86_400, description: `${FEED_SECONDS} when absent.` }),
      ),
    },
    { additionalProperties: false, description: 'RSS or Atom, which the server reads: nothing is delivered.' },
  ),
  Type.Object(
    { type: Type.Literal('hmac'), algorithm: Type.Enum(['sha256', 'sha512', 'sha1']), ...Signature },
    { additionalProperties: false },
  ),
  Type.Object(
    { type: Type.Literal('ed25519'), ...Signature },
    { additionalProperties: false, description: 'The secret is the public key of the sender, in the same encoding.' },
  ),
])

/**
 * A source that an operator defines: how its deliveries prove their origin, and which events they become.
 *
 * Source: docs/decisions/0078.
 */
export const SourceDefinitionSchema = Type.Object(
  {
    name: Type.String({ pattern: SOURCE_NAME, description: 'The source of its events, and the end of its address.' }),
    description: Type.Optional(Type.String({ maxLength: 200 })),
    enabled: Type.Optional(Type.Boolean({ description: 'true when absent.' })),
    proof: ProofSchema,
    each: Type.Optional(
      Type.String({
        maxLength: 500,
        description: 'JSON Pointer of a list whose items become an event each; [*] goes through each item of a list.',
      }),
    ),
    ignore: Type.Optional(Type.Array(Conditions, { maxItems: 20, description: 'Deliveries with nothing to record.' })),
    echo: Type.Optional(
      Type.Union(
        [
          Type.Object({ query: QueryParameter }, { additionalProperties: false }),
          Type.Object(
            { header: Type.String({ pattern: '^[Xx]-[A-Za-z0-9-]{1,98}$' }) },
            { additionalProperties: false },
          ),
        ],
        { description: 'What is answered as it was sent, before any proof: a service checks the address so.' },
      ),
    ),
    challenge: Type.Optional(
      Type.Object(
        {
          when: Conditions,
          answer: Type.Record(Type.String({ pattern: '^[A-Za-z_]{1,60}$' }), Type.Union([Value, Signed, Fixed])),
        },
        {
          additionalProperties: false,
          description: 'A delivery that asks for an answer instead of reporting an event.',
        },
      ),
    ),
    answer: Type.Optional(
      Type.Union(
        [
          Type.Record(
            Type.String({ pattern: '^[A-Za-z_]{1,60}$' }),
            Type.Union([Type.String({ maxLength: 200 }), Fixed]),
          ),
          Type.String({ maxLength: 1_000 }),
        ],
        { description: 'The answer to every delivery, in place of the number of its events: an object, or a text.' },
      ),
    ),
    delivery_id: Type.Optional(Value),
    decode: Type.Optional(
      Type.Array(
        Type.Object(
          {
            at: Type.String({
              minLength: 1,
              maxLength: 500,
              description: 'JSON Pointer of the text; it may have [*].',
            }),
            base64: Type.Optional(Type.Boolean({ description: 'The text is in base64.' })),
          },
          { additionalProperties: false },
        ),
        { maxItems: 10, description: 'Texts that are JSON, which become its values before anything is read.' },
      ),
    ),
    redact: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
        maxItems: 10,
        description: 'JSON Pointers of values that are not kept, such as secrets.',
      }),
    ),
    rules: Type.Array(RuleSchema, {
      maxItems: SOURCE_LIMITS.rules,
      description: 'The first whose conditions hold applies. Without one, a delivery is kept as delivery.unmapped.',
    }),
  },
  { title: 'Source', $id: 'source', additionalProperties: false },
)

export type SourceDefinition = Static<typeof SourceDefinitionSchema>
export type SourceProof = SourceDefinition['proof']
export type SignatureProof = Extract<SourceProof, { type: 'hmac' | 'ed25519' }>
export type SourceEcho = NonNullable<SourceDefinition['echo']>
export type FeedProof = Extract<SourceProof, { type: 'feed' }>
export type FeedLogin = NonNullable<FeedProof['login']>
export type SourceRule = SourceDefinition['rules'][number]
export type SourceValue = SourceRule['kind']
export type SourceCondition = Static<typeof ConditionSchema>

/** A source as answers show it. Its secrets are not part of it. */
export interface ShownSource {
  definition: SourceDefinition
  webhook_path: string
  /** The source is enabled, and has a secret if its proof needs one. */
  accepts: boolean
  secret_count: number
  created_at: string
  updated_at: string
  /** State of the feed, if it has been read. */
  feed?: FeedState
}

export interface FeedState {
  read_at: string
  next_read_at: string
  /** Why the last reading failed. */
  problem?: string
}

/** The result of reading a feed once. */
export interface FeedOutcome {
  /** Events that were new. */
  created: number
  /** Items that the ledger already has. */
  known: number
  /** The feed has not changed, so its items were not processed. */
  unchanged: boolean
}

/** Where deliveries of an operator's source arrive. */
export function webhookPathOf(name: string): string {
  return `/webhooks/in/${name}`
}

/** Whether its deliveries, or the server of its feed, need a secret. */
export function needsSecret({ proof }: Pick<SourceDefinition, 'proof'>): boolean {
  return proof.type === 'feed' ? proof.login !== undefined : proof.type !== 'none'
}
