import Type, { type Static } from '#typebox'
import { CARD_LIMITS } from './card.js'

/** No NUL, where the store's driver would cut the text short, and no lone surrogate, which has no UTF-8. */
const WHOLE = '^[^\\u0000\\uD800-\\uDFFF]*$'

const Position = Type.Integer({
  minimum: 0,
  description: 'Position in its column, from 0; larger values mean the end.',
})

// Not `uniqueItems`: it would compare all items, however many and however deep, before refusing any.
const members = {
  title: Type.String({
    minLength: 1,
    maxLength: CARD_LIMITS.titleCharacters,
    pattern: WHOLE,
    description: 'Blank ends are cut off.',
  }),
  body: Type.String({
    maxLength: CARD_LIMITS.bodyBytes,
    pattern: WHOLE,
    description: `Markdown, up to ${CARD_LIMITS.bodyBytes} bytes of UTF-8.`,
  }),
  column: Type.String({ description: 'One of the columns of this board.' }),
  labels: Type.Array(Type.String({ minLength: 1, maxLength: CARD_LIMITS.labelCharacters, pattern: WHOLE }), {
    maxItems: CARD_LIMITS.labels,
    description: 'Different ones.',
  }),
  assignee: Type.Union([
    Type.String({ minLength: 1, maxLength: CARD_LIMITS.assigneeCharacters, pattern: WHOLE }),
    Type.Null(),
  ]),
  links: Type.Array(Type.String({ minLength: 1, maxLength: CARD_LIMITS.linkCharacters, pattern: WHOLE }), {
    maxItems: CARD_LIMITS.links,
    description: 'Dedupe keys of events in the ledger, without duplicates.',
  }),
  position: Position,
}

/** Changes to a card; members not sent stay. */
export const CardChangesSchema = Type.Partial(Type.Object(members), { additionalProperties: false })
export type CardInputChanges = Static<typeof CardChangesSchema>

/** Input for a new card. */
export const NewCardSchema = Type.Object(
  { ...Type.Partial(Type.Object(members)).properties, title: members.title },
  { additionalProperties: false },
)
export type NewCard = Static<typeof NewCardSchema>
