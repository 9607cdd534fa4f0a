import Type, { type Static } from '#typebox'

export const CARD_LIMITS = {
  titleCharacters: 200,
  /** UTF-8. */
  bodyBytes: 64 * 1024,
  labels: 20,
  labelCharacters: 50,
  assigneeCharacters: 100,
  /** Links to events of the ledger. */
  links: 50,
  linkCharacters: 512,
  /** Per board. */
  cards: 5_000,
  /** Per request: the largest card, escaped. */
  requestBytes: 512 * 1024,
  pageSize: { default: 200, max: 500 },
} as const

/** Used unless `BOARD_COLUMNS` names others. */
export const DEFAULT_COLUMNS = ['backlog', 'doing', 'review', 'done'] as const

const Instant = Type.String({ format: 'date-time' })

/** One piece of work on the board. Source: decisions on the board, section 8. */
export const CardSchema = Type.Object({
  id: Type.String({ description: 'Random, never used again.' }),
  title: Type.String({ minLength: 1, maxLength: CARD_LIMITS.titleCharacters }),
  body: Type.String({ description: 'Markdown.' }),
  column: Type.String({ description: 'One of the columns of this board.' }),
  labels: Type.Array(Type.String()),
  assignee: Type.Union([Type.String(), Type.Null()]),
  links: Type.Array(Type.String(), { description: 'Dedupe keys of events in the ledger.' }),
  rank: Type.Number({ description: 'Cards of a column are in order of ascending rank.' }),
  version: Type.Integer({ minimum: 1, description: 'Increases with each change, except of the rank alone.' }),
  created_at: Instant,
  updated_at: Instant,
})
export type Card = Static<typeof CardSchema>

export const CardListSchema = Type.Object({
  items: Type.Array(CardSchema, { description: 'In order of creation.' }),
  count: Type.Integer(),
  next: Type.Union([Type.Integer(), Type.Null()], { description: '`after` of the next page; null at the end.' }),
  columns: Type.Array(Type.String(), { description: 'From left to right.' }),
})
export type CardList = Static<typeof CardListSchema>

/** No NUL, at which the store's driver would cut the text, and no lone surrogate, which has no UTF-8 form. */
const WHOLE = '^[^\\u0000\\uD800-\\uDFFF]*$'

/** Also no control character, which includes line breaks. */
const ONE_LINE = '^[^\\u0000-\\u001F\\u007F-\\u009F\\u2028\\u2029\\uD800-\\uDFFF]*$'

const Position = Type.Integer({
  minimum: 0,
  description: 'Position in its column, from 0; larger values mean the end.',
})

// Not `uniqueItems`: it would compare all items before it refuses any, regardless of their number and depth.
const members = {
  title: Type.String({
    minLength: 1,
    maxLength: CARD_LIMITS.titleCharacters,
    pattern: ONE_LINE,
    description: 'One line. Blank ends are cut off.',
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
