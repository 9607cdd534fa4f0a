import Type from '#typebox'
import type { CardQuery, Cards } from '../../board/cards.js'
import { isNoneMatch } from '../../board/if-match.js'
import {
  CARD_LIMITS,
  type Card,
  CardChangesSchema,
  CardListSchema,
  CardSchema,
  NewCardSchema,
} from '../../model/board/card.js'
import { CardHistorySchema, HISTORY_LIMITS } from '../../model/board/card-history.js'
import { type LinkedEvents, LinkedEventsSchema } from '../../model/board/linked-items.js'
import { json } from '../answer/reply.js'
import { documented, type ParameterDoc, type Reply } from '../http/route.js'
import type { ReadLinkedEvents } from '../ledger/linked-events.js'
import type { ReadJsonBody } from '../request/body.js'
import { pathParam } from '../request/path-param.js'
import { QueryString } from '../request/query-string.js'
import type { BoardEndpoint } from './board-route.js'
import { cardActor } from './card-actor.js'

export type ServedCards = Pick<Cards, 'list' | 'get' | 'create' | 'update' | 'delete' | 'history' | 'countByColumn'>

export interface CardRouteParts {
  cards: ServedCards
  readJsonBody: ReadJsonBody
}

const PARAMETERS = ['column', 'label', 'assignee', 'link', 'limit', 'after'] as const
/** Longer than any value of a card. */
const MAX_FILTER_CHARACTERS = 1_024
/** The largest integer that `QueryString` reads. */
const MAX_AFTER = 999_999_999

/** `GET /api/cards` */
export function listCards({ cards }: Pick<CardRouteParts, 'cards'>): BoardEndpoint {
  return documented(DOCS.listCards, async req => json(200, await cards.list(readCardQuery(req.search))))
}

/** `POST /api/cards` */
export function createCard({ cards, readJsonBody }: CardRouteParts): BoardEndpoint {
  return documented(DOCS.createCard, async (req, res) => {
    const card = await cards.create(await readJsonBody(req, res, CARD_LIMITS.requestBytes), cardActor(req.identity))
    const path = req.path.endsWith('/') ? req.path.slice(0, -1) : req.path
    return withTag(201, card, ['Location', `${path}/${card.id}`])
  })
}

/** `GET /api/cards/:id` */
export function getCard({ cards }: Pick<CardRouteParts, 'cards'>): BoardEndpoint {
  return documented(DOCS.getCard, async req => {
    const card = await cards.get(pathParam(req))
    if (!isNoneMatch(req.headers['if-none-match'], card.version)) return withTag(200, card)
    return { status: 304, body: '', headers: ['ETag', tagOf(card)] }
  })
}

export interface LinkedEventParts {
  cards: ServedCards
  readLinkedEvents: ReadLinkedEvents
}

/** `GET /api/cards/:id/events`: the linked events, if the ledger lets this request read them. */
export function listEventsOfCard({ cards, readLinkedEvents }: LinkedEventParts): BoardEndpoint {
  return documented(DOCS.listEventsOfCard, async req => {
    const { links } = await cards.get(pathParam(req, 1))
    const items = await readLinkedEvents(req, links)
    const answer: LinkedEvents = { items: items ?? [], may_read: items !== undefined }
    return json(200, answer)
  })
}

/** `GET /api/cards/:id/history`: the changes of a card, and who made them. */
export function listCardHistory({ cards }: Pick<CardRouteParts, 'cards'>): BoardEndpoint {
  return documented(DOCS.listCardHistory, async req => {
    const query = new QueryString(req.search, ['limit', 'after'])
    const limit = query.integer('limit', { min: 1, max: HISTORY_LIMITS.pageSize.max })
    const after = query.integer('after', { min: 0, max: MAX_AFTER })
    query.finish()
    return json(200, await cards.history(pathParam(req, 1), { limit, after }))
  })
}

/** `PATCH /api/cards/:id` */
export function updateCard({ cards, readJsonBody }: CardRouteParts): BoardEndpoint {
  return documented(DOCS.updateCard, async (req, res) => {
    const changes = await readJsonBody(req, res, CARD_LIMITS.requestBytes)
    return withTag(200, await cards.update(pathParam(req), changes, req.headers['if-match'], cardActor(req.identity)))
  })
}

/** `DELETE /api/cards/:id` */
export function deleteCard({ cards }: Pick<CardRouteParts, 'cards'>): BoardEndpoint {
  return documented(DOCS.deleteCard, async req => {
    await cards.delete(pathParam(req), req.headers['if-match'], cardActor(req.identity))
    return { status: 204, body: '' }
  })
}

function readCardQuery(search: string): CardQuery {
  const query = new QueryString(search, PARAMETERS)
  const read: CardQuery = {
    limit: query.integer('limit', { min: 1, max: CARD_LIMITS.pageSize.max }),
    after: query.integer('after', { min: 0, max: MAX_AFTER }),
  }
  for (const name of ['column', 'label', 'assignee', 'link'] as const) {
    const value = query.text(name, MAX_FILTER_CHARACTERS)
    if (value !== undefined) read[name] = value
  }
  query.finish()
  return read
}

function withTag(status: number, card: Card, headers: readonly string[] = []): Reply {
  return { ...json(status, card), headers: ['ETag', tagOf(card), ...headers] }
}

/** The entity tag, without the rank: a move within the column must not cause a refusal of a change of the content. */
function tagOf({ version }: Card): string {
  return `"${version}"`
}

const CARD_PARAMETERS: readonly ParameterDoc[] = [
  { name: 'column', description: 'In this column.', schema: Type.String() },
  { name: 'label', description: 'With this label.', schema: Type.String() },
  { name: 'assignee', description: 'Assigned to this person.', schema: Type.String() },
  { name: 'link', description: 'With a link to the event with this dedupe key.', schema: Type.String() },
  {
    name: 'limit',
    description: 'Cards a page.',
    schema: Type.Integer({ minimum: 1, maximum: CARD_LIMITS.pageSize.max, default: CARD_LIMITS.pageSize.default }),
  },
  { name: 'after', description: '`next` of the previous page.', schema: Type.Integer({ minimum: 0 }) },
]

const IF_MATCH: ParameterDoc = {
  name: 'If-Match',
  description: 'Tags of the versions that may be changed; any version when absent. Otherwise 412.',
  schema: Type.String(),
}

const DOCS = {
  listCards: {
    summary: 'Cards by filters, in the order of their creation',
    description: 'Several filters must all match; continue with `after` set to the `next` of the previous page.',
    query: CARD_PARAMETERS,
    answers: { 200: { description: 'A page', schema: CardListSchema } },
  },
  createCard: {
    summary: 'Creates a card',
    description: 'The card is added at the end of its column.',
    body: { 'application/json': NewCardSchema },
    answers: { 201: { description: 'Created; its tag is the version', schema: CardSchema } },
  },
  getCard: {
    summary: 'One card',
    description: 'The `ETag` of the answer is the version to send as `If-Match` with a change.',
    headers: [{ name: 'If-None-Match', description: 'Tags of known versions.', schema: Type.String() }],
    answers: {
      200: { description: 'The card; its tag is the version', schema: CardSchema },
      304: { description: 'The version is one of these' },
    },
  },
  listEventsOfCard: {
    summary: 'The events that a card links to, as sentences',
    description: 'Asks the ledger for each linked event; an event that the caller may not read is left out.',
    answers: {
      200: { description: 'Those that the ledger has, in the order of the links', schema: LinkedEventsSchema },
    },
  },
  listCardHistory: {
    summary: 'What was done with a card, by whom; also of a deleted card',
    description: 'Newest first, one entry for each change.',
    query: [
      {
        name: 'limit',
        description: 'Entries a page.',
        schema: Type.Integer({
          minimum: 1,
          maximum: HISTORY_LIMITS.pageSize.max,
          default: HISTORY_LIMITS.pageSize.default,
        }),
      },
      { name: 'after', description: '`next` of the previous page.', schema: Type.Integer({ minimum: 0 }) },
    ],
    answers: { 200: { description: 'A page, newest first', schema: CardHistorySchema } },
  },
  updateCard: {
    summary: 'Changes or moves a card; members that are not sent stay',
    description: 'With `If-Match`, a card that was changed since is refused with 412.',
    headers: [IF_MATCH],
    body: { 'application/json': CardChangesSchema },
    answers: { 200: { description: 'The changed card', schema: CardSchema } },
  },
  deleteCard: {
    summary: 'Deletes a card; its runs stay',
    description: 'With `If-Match`, a card that was changed since is refused with 412.',
    headers: [IF_MATCH],
    answers: { 204: { description: 'Deleted' } },
  },
}
