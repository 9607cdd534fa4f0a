import Type, { type Static } from '#typebox'

export const TRACE_LIMITS = {
  days: 7,
  /** Refused deliveries that are kept. */
  refused: 1_000,
  /** Of one source with one code, so that a flood of one kind does not displace the others. */
  alike: 100,
  sources: 2_000,
  detailCharacters: 300,
} as const

export const RefusedDeliverySchema = Type.Object({
  at: Type.String({ description: 'When it was refused.' }),
  source: Type.String(),
  code: Type.String({ description: 'Of the answer, such as signature_invalid.' }),
  detail: Type.String({ description: 'Why it was refused.' }),
  delivery_id: Type.Optional(Type.String({ description: 'As the sender has it; nothing proves it.' })),
  bytes: Type.Optional(Type.Integer({ minimum: 0, description: 'Of the body, as the sender announced it.' })),
})

export const SourceDeliveriesSchema = Type.Object({
  source: Type.String(),
  accepted: Type.Integer({ minimum: 0 }),
  last_accepted_at: Type.Union([Type.String(), Type.Null()]),
  refused: Type.Integer({ minimum: 0 }),
  last_refused_at: Type.Union([Type.String(), Type.Null()]),
})

/** What arrived at the webhooks of a server, without any content of it. */
export const DeliveryTraceSchema = Type.Object({
  since: Type.String({ description: 'Since when deliveries are counted.' }),
  sources: Type.Array(SourceDeliveriesSchema),
  refused: Type.Array(RefusedDeliverySchema, { description: 'Newest first.' }),
})

export type RefusedDelivery = Static<typeof RefusedDeliverySchema>
export type SourceDeliveries = Static<typeof SourceDeliveriesSchema>
export type DeliveryTraceState = Static<typeof DeliveryTraceSchema>
