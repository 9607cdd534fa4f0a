import Type, { type Static } from '#typebox'
import type { Failure } from '../failure.js'

/** The platforms that list their deliveries. Captures read the chat platform instead. */
export const SOURCES_WITH_DELIVERY_LIST = ['code_a', 'code_b', 'forum'] as const
export type ListingSource = (typeof SOURCES_WITH_DELIVERY_LIST)[number]

export const RECONCILE_LIMITS = {
  hooks: 100,
  /** Deliveries of one hook that one run reads from the list. */
  listed: 100_000,
  /** Deliveries of one hook that one run requests again. */
  redeliveries: 1_000,
  /** Deliveries that a report names. */
  named: 50,
  sinceSeconds: 30 * 86_400,
  defaultSinceSeconds: 3 * 86_400,
} as const

/** A webhook whose deliveries the platform lists, and the account that may read the list. */
const ListedHookSchema = Type.Object({
  source: Type.Enum(SOURCES_WITH_DELIVERY_LIST),
  url: Type.String({
    minLength: 1,
    maxLength: 2_048,
    description: 'Address of the webhook in the API of its platform.',
  }),
  token: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
  app: Type.Optional(
    Type.Object(
      {
        id: Type.String({ minLength: 1, maxLength: 64 }),
        key: Type.String({ minLength: 1, maxLength: 16_384, description: 'RSA private key in PEM.' }),
      },
      { description: 'The GitHub App that the webhook belongs to; in place of a token.' },
    ),
  ),
  username: Type.Optional(
    Type.String({ minLength: 1, maxLength: 254, description: 'Of the account; only for a forum.' }),
  ),
})

export type ListedHook = Static<typeof ListedHookSchema>
export type AppAccount = NonNullable<ListedHook['app']>

export const ReconcileRequestSchema = Type.Object({
  hooks: Type.Array(ListedHookSchema, { minItems: 1, maxItems: RECONCILE_LIMITS.hooks }),
  since_seconds: Type.Integer({
    minimum: 1,
    maximum: RECONCILE_LIMITS.sinceSeconds,
    description: 'Deliveries that are older are not considered, where the list has times.',
  }),
  dry_run: Type.Boolean({ description: 'Only reports what is missing.' }),
})

export type ReconcileRequest = Static<typeof ReconcileRequestSchema>

/** A delivery that the ledger does not have. */
const LostDeliverySchema = Type.Object({
  id: Type.String({ description: 'In the list of the platform.' }),
  delivery_id: Type.Optional(Type.String({ description: 'The id that a redelivery repeats.' })),
  reason: Type.String({ description: 'Why it was not fetched.' }),
})

export type LostDelivery = Static<typeof LostDeliverySchema>

const Count = (description: string) => Type.Integer({ minimum: 0, description })

const HookReportSchema = Type.Object({
  source: Type.Enum(SOURCES_WITH_DELIVERY_LIST),
  url: Type.String(),
  listed: Count('All deliveries considered: the sum of the following counts.'),
  delivered: Count('The platform lists them as delivered, and the ledger has them.'),
  known: Count('The platform lists them as failed, and the ledger has them nevertheless.'),
  ignored: Count('They contain nothing to record, such as pings.'),
  fetched: Count('The ledger lacked them, and has them now from the list.'),
  redelivered: Count('The ledger lacked them, and the platform has delivered them again.'),
  missing: Count('The ledger lacks them still: another run can succeed.'),
  gone: Count('The ledger lacks them, and the platform does not have them any more.'),
  lost: Type.Array(LostDeliverySchema, { description: 'The first of those that are missing or gone.' }),
  complete: Type.Boolean({ description: 'False if the list was not read to its end.' }),
  clock_ahead_seconds: Type.Optional(
    Type.Integer({ description: 'How far the clock of the platform is ahead, where that is more than a minute.' }),
  ),
})

/** What the comparison of one webhook's deliveries with the ledger found. Attempts of one delivery count once. */
export interface HookReport extends Static<typeof HookReportSchema> {
  /** Why it ended early. What was recorded stays, and the next run continues. */
  error?: Failure
}

export interface ReconcileResult {
  dry_run: boolean
  hooks: HookReport[]
}

export interface ReconcileProgress {
  url: string
  listed: number
  /** Seconds that the run waits because the platform asked for it. */
  waiting_seconds?: number
}

const Problem = Type.Object({ code: Type.String(), detail: Type.String() })

const ComparisonSchema = Type.Object({
  at: Type.String({ description: 'When it ended.' }),
  dry_run: Type.Boolean(),
  since_seconds: Type.Integer(),
  hooks: Type.Array(Type.Object({ ...HookReportSchema.properties, error: Type.Optional(Problem) })),
  problem: Type.Optional(Problem),
})

/** What one run found. */
export type Comparison = Static<typeof ComparisonSchema>

/** The hooks that a server compares, and the last result of any server or command of the ledger. */
export const ReconcileStatusSchema = Type.Object({
  hooks: Type.Array(Type.Object({ source: Type.Enum(SOURCES_WITH_DELIVERY_LIST), url: Type.String() }), {
    description: 'Those that this server compares; empty without EVENT_RECONCILE.',
  }),
  running: Type.Union([
    Type.Object({ since: Type.String(), dry_run: Type.Boolean(), listed: Count('Deliveries compared so far.') }),
    Type.Null(),
  ]),
  last: Type.Union([ComparisonSchema, Type.Null()]),
  reports: Type.Array(Type.Object({ source: Type.Enum(SOURCES_WITH_DELIVERY_LIST), ...ComparisonSchema.properties }), {
    description: 'Of each source, what the last run over its hooks found.',
  }),
})

export type ReconcileStatus = Static<typeof ReconcileStatusSchema>

/** A run over the hooks of the server. */
export const ReconcileStartSchema = Type.Object(
  {
    dry_run: Type.Boolean({ description: 'Only reports what is missing.' }),
    since_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: RECONCILE_LIMITS.sinceSeconds })),
    source: Type.Optional(Type.Enum(SOURCES_WITH_DELIVERY_LIST)),
  },
  { additionalProperties: false },
)

export type ReconcileStart = Static<typeof ReconcileStartSchema>
