import Type, { type Static } from '#typebox'

/** Maximum number of events per request, which takes a few seconds of the store's thread. */
export const VERIFY_LIMITS = { events: 50_000 } as const

const Count = Type.Integer({ minimum: 0 })

/** One event, and the digest that vouches for all events up to it. */
const HeadSchema = Type.Object({
  captured_at: Type.String({ format: 'date-time' }),
  digest: Type.Union([Type.String(), Type.Null()], {
    description: 'SHA-256 in hex; null while events of an older release have none yet.',
  }),
})
export type Head = Static<typeof HeadSchema>

const ProblemSchema = Type.Object({
  captured_at: Type.Union([Type.String(), Type.Null()], {
    description: 'Of the event; null if it is about no single one.',
  }),
  dedupe_key: Type.Union([Type.String(), Type.Null()], { description: 'As it is stored.' }),
  detail: Type.String(),
})
export type Problem = Static<typeof ProblemSchema>

/** What a check of consecutive events found. Source: decision 51. */
export const VerifiedEventsSchema = Type.Object({
  events: Count,
  after: Type.Union([HeadSchema, Type.Null()], { description: 'The event before them.' }),
  through: Type.Union([HeadSchema, Type.Null()], { description: 'The newest of them.' }),
  has_more: Type.Boolean({ description: 'There are later events.' }),
  pending: Type.Integer({ minimum: 0, description: 'Those of them that have no digest yet.' }),
  by_source: Type.Record(Type.String(), Type.Object({ events: Count, duplicates: Count })),
  by_kind: Type.Record(Type.String(), Count),
  problems: Type.Array(ProblemSchema, { description: 'At most 100.' }),
})
export type VerifiedEventsAnswer = Static<typeof VerifiedEventsSchema>

/** The result of a verification. */
export interface LedgerVerification {
  /** Path of the ledger. */
  database: string
  events: number
  /** The event after which verification began; null: at the beginning. */
  after: Head | null
  /** The newest event; null in an empty ledger. */
  head: Head | null
  /** Events that have no digest yet. */
  pending: number
  /** The oldest first, at most 1,000. */
  problems: readonly Problem[]
}
