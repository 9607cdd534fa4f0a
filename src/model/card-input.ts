import Type, { type Static } from '#typebox'
import { CARD_LIMITS } from './card.js'

/** No NUL, where the store's driver would cut a text short, and no half of a surrogate pair, which has no UTF-8. */
const WHOLE = '^[^\\u0000\\uD800-\\uDFFF]*$'

const Position = Type.Integer({
  minimum: 0,
  description: 'Which place in its column it gets, from 0; beyond the end is the end.',
})

// Not `uniqueItems`: whatever is in a list, however deep and however many, would be compared before it is refused.
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
    description: 'Dedupe keys of events in the ledger, different ones.',
  }),
  position: Position,
}

/** What may be sent of a card that changes; what is not sent stays. */
export const CardChangesSchema = Type.Partial(Type.Object(members), { additionalProperties: false })
export type CardInputChanges = Static<typeof CardChangesSchema>

/** What may be sent of a new card. */
export const NewCardSchema = Type.Object(
  { ...Type.Partial(Type.Object(members)).properties, title: members.title },
  { additionalProperties: false },
)
export type NewCard = Static<typeof NewCardSchema>
