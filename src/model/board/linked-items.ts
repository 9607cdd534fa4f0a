import Type, { type Static } from '#typebox'
import { OUTCOMES } from '../sentences/event-outcome.js'

const MAY_READ = Type.Boolean({
  description: 'Whether the other program is served by this process, and its rules let this request read.',
})

/** An event of the ledger that a card links to. */
const LinkedEventSchema = Type.Object({
  key: Type.String({ description: 'The link: the dedupe key of the event.' }),
  captured_at: Type.String({ format: 'date-time' }),
  sentence: Type.String({ description: 'What happened: who did what, where, and how it ended.' }),
  outcome: Type.Union([Type.Enum(OUTCOMES), Type.Null()]),
})
export type LinkedEvent = Static<typeof LinkedEventSchema>

export const LinkedEventsSchema = Type.Object({ items: Type.Array(LinkedEventSchema), may_read: MAY_READ })
export type LinkedEvents = Static<typeof LinkedEventsSchema>

/** A card of the board that links to an event. */
const LinkedCardSchema = Type.Object({ id: Type.String(), title: Type.String(), column: Type.String() })
export type LinkedCard = Static<typeof LinkedCardSchema>

export const LinkedCardsSchema = Type.Object({ items: Type.Array(LinkedCardSchema), may_read: MAY_READ })
export type LinkedCards = Static<typeof LinkedCardsSchema>
