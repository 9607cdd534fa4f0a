import Type, { type TSchema } from '#typebox'

/** Shapes of answers, for the API description. What comes in is described by the schemas that check it. */

const Captured = Type.String({ format: 'date-time', description: 'UTC, six fraction digits.' })
const CapturedOrNull = Type.Union([Captured, Type.Null()])
const Count = Type.Integer({ minimum: 0 })

/** A schema that stands under its name in the description. */
export function named(
  name: 'EventInput' | 'Event' | 'EventWithoutPayload' | 'Subscription' | 'User' | 'Problem',
): TSchema {
  return Type.Unsafe({ $ref: `#/components/schemas/${name}` })
}

/** Source: RFC 9457. */
export const ProblemSchema = Type.Object({
  type: Type.Literal('about:blank'),
  title: Type.String(),
  status: Type.Integer(),
  code: Type.String({ description: 'For programs; never reworded.' }),
  detail: Type.String({ description: 'For people: what was wrong, then what to do.' }),
  errors: Type.Optional(Type.Array(Type.Object({ field: Type.String(), detail: Type.String() }))),
  request_id: Type.Optional(Type.String()),
})

export const HealthSchema = Type.Object({
  status: Type.Enum(['ok', 'unavailable']),
  database: Type.String({ description: 'The file, or the address without its password.' }),
  version: Type.String(),
  engine: Type.Enum(['sqlite', 'postgres']),
  head: CapturedOrNull,
  epoch: Type.Optional(Type.String()),
  schema_version: Type.Optional(Type.Integer({ minimum: 1, description: 'Of the tables of the database.' })),
  demo: Type.Optional(Type.Literal(true, { description: 'The events are invented, and the ledger is thrown away.' })),
  warnings: Type.Optional(
    Type.Array(Type.Object({ code: Type.Enum(['clock_behind', 'files_missing']), detail: Type.String() }), {
      description: 'What works, but not as it should.',
    }),
  ),
  code: Type.Optional(Type.String()),
  detail: Type.Optional(Type.String()),
})

const RECORDED = {
  created: Type.Boolean({ description: 'False for a repeat.' }),
  dedupe_key: Type.String(),
  seen_count: Type.Integer({ minimum: 1 }),
  captured_at: Captured,
}

export const RecordedSchema = Type.Union([
  Type.Object({ ...RECORDED, event: Type.Optional(named('Event')) }),
  Type.Object({ created: Count, duplicates: Count, results: Type.Array(Type.Object(RECORDED)) }),
])

export const EventPageSchema = Type.Object({
  items: Type.Array(named('Event')),
  count: Count,
  latest_captured_at: CapturedOrNull,
  next_since: CapturedOrNull,
  has_more: Type.Boolean(),
  head: CapturedOrNull,
  epoch: Type.String({ description: 'Changes when the ledger is restored or replaced.' }),
})

const Counts = Type.Array(Type.Union([Count, Type.Null()]), {
  description: 'One a bucket; null where that is not wholly counted.',
})

export const HistogramSchema = Type.Object({
  from: CapturedOrNull,
  to: CapturedOrNull,
  starts: Type.Array(Captured, {
    description: 'Of each bucket, which ends where the next one begins; the last at `to`.',
  }),
  counts: Counts,
  count: Type.Integer({ minimum: 0, description: 'Since `counted_from`.' }),
  by_source: Type.Record(Type.String(), Type.Object({ count: Count, counts: Counts })),
  complete: Type.Boolean({ description: 'Whether all of the range is counted.' }),
  counted_from: CapturedOrNull,
  head: CapturedOrNull,
  epoch: Type.String({ description: 'Changes when the ledger is restored or replaced.' }),
})

export const SubscriptionPreviewSchema = Type.Object({
  count: Type.Integer({ minimum: 0, description: 'Since `counted_from`.' }),
  by_day: Type.Array(Type.Object({ start: Captured, count: Count })),
  examples: Type.Array(named('EventWithoutPayload'), { description: 'The newest three.' }),
  seen: Type.Boolean({ description: 'Whether anything happened there, of whatever kind.' }),
  complete: Type.Boolean({ description: 'Whether all of the days are counted.' }),
  counted_from: Captured,
  understood: Type.Object({
    source: Type.String(),
    target: Type.String(),
    scope: Type.Object({}, { additionalProperties: true }),
    filters: Type.Object({}, { additionalProperties: true }),
    event_kinds: Type.Array(Type.String()),
    actions: Type.Array(Type.Object({ kind: Type.String(), object_type: Type.String(), verb: Type.String() })),
  }),
})

export const SubscriptionSavedSchema = Type.Object({ created: Type.Boolean(), subscription: named('Subscription') })

export const SubscriptionListSchema = Type.Object({
  items: Type.Array(named('Subscription')),
  count: Count,
  next: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: 'Only with limit or after: what to send as after for the next page; null at the end.',
    }),
  ),
})

export const StatsSchema = Type.Object({
  event_count: Count,
  duplicate_count: Count,
  subscription_count: Count,
  by_source: Type.Record(
    Type.String(),
    Type.Object({ events: Count, duplicates: Count, latest_captured_at: CapturedOrNull }),
  ),
  by_kind: Type.Record(Type.String(), Count),
  first_captured_at: CapturedOrNull,
  latest_captured_at: CapturedOrNull,
})

export const PlatformsSchema = Type.Object({
  items: Type.Array(
    Type.Object({
      source: Type.String(),
      display_name: Type.String(),
      webhook_path: Type.String(),
      verification: Type.String(),
      secret_configured: Type.Boolean(),
      site: Type.Optional(Type.String({ description: "Address of the platform's server, where it is configured." })),
      kinds: Type.Array(Type.String()),
      actions: Type.Array(Type.Object({ kind: Type.String(), object_type: Type.String(), verb: Type.String() })),
      scope_types: Type.Array(Type.String()),
      target_grammar: Type.Array(Type.Object({ form: Type.String(), example: Type.String() })),
      capture_modes: Type.Array(Type.String()),
    }),
  ),
  count: Count,
})

const DELIVERY = { created: Count, duplicates: Count, ignored: Count }

export const DeliverySchema = Type.Object(DELIVERY)

export const ChatDeliverySchema = Type.Object({
  ...DELIVERY,
  response_not_required: Type.Literal(true, { description: 'The platform shall post nothing for it.' }),
})
