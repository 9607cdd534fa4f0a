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
import type { ReadJsonBody } from '../json-body.js'
import { pathParam } from '../path-param.js'
import { QueryString } from '../query-string.js'
import { json } from '../reply.js'
import type { ParameterDoc, Reply, RouteDoc } from '../route.js'
import type { BoardHandler } from './board-route.js'

/** What the HTTP side asks of the cards. */
export type ServedCards = Pick<Cards, 'list' | 'get' | 'create' | 'update' | 'delete'>

const PARAMETERS = ['column', 'label', 'assignee', 'link', 'limit', 'after'] as const
/** Longer ones than any card has. */
const MAX_FILTER_CHARACTERS = 1_024
/** As many as `QueryString` reads. */
const MAX_AFTER = 999_999_999

/** `GET /api/cards` */
export function listCards(cards: ServedCards): BoardHandler {
  return async req => json(200, await cards.list(readCardQuery(req.search)))
}

/** `POST /api/cards` */
export function createCard(cards: ServedCards, readJsonBody: ReadJsonBody): BoardHandler {
  return async (req, res) => {
    const card = await cards.create(await readJsonBody(req, res, CARD_LIMITS.requestBytes))
    const path = req.path.endsWith('/') ? req.path.slice(0, -1) : req.path
    return withTag(201, card, ['Location', `${path}/${card.id}`])
  }
}

/** `GET /api/cards/:id` */
export function getCard(cards: ServedCards): BoardHandler {
  return async req => {
    const card = await cards.get(pathParam(req))
    if (!isNoneMatch(req.headers['if-none-match'], card.version)) return withTag(200, card)
    return { status: 304, body: '', headers: ['ETag', tagOf(card)] }
  }
}

/** `PATCH /api/cards/:id`: what is not sent stays. */
export function updateCard(cards: ServedCards, readJsonBody: ReadJsonBody): BoardHandler {
  return async (req, res) => {
    const changes = await readJsonBody(req, res, CARD_LIMITS.requestBytes)
    return withTag(200, await cards.update(pathParam(req), changes, req.headers['if-match']))
  }
}

/** `DELETE /api/cards/:id` */
export function deleteCard(cards: ServedCards): BoardHandler {
  return async req => {
    await cards.delete(pathParam(req), req.headers['if-match'])
    return { status: 204, body: '' }
  }
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

/** The rank is no part of it: where a card stands is no reason to refuse a change of what it says. */
function tagOf({ version }: Card): string {
  return `"${version}"`
}

const CARD_PARAMETERS: readonly ParameterDoc[] = [
  { name: 'column', description: 'In this column.', schema: Type.String() },
  { name: 'label', description: 'With this label.', schema: Type.String() },
  { name: 'assignee', description: 'Given to this person.', schema: Type.String() },
  { name: 'link', description: 'Pointing to the event with this dedupe key.', schema: Type.String() },
  {
    name: 'limit',
    description: 'Cards a page.',
    schema: Type.Integer({ minimum: 1, maximum: CARD_LIMITS.pageSize.max, default: CARD_LIMITS.pageSize.default }),
  },
  { name: 'after', description: '`next` of the page before.', schema: Type.Integer({ minimum: 0 }) },
]

const IF_MATCH: ParameterDoc = {
  name: 'If-Match',
  description: 'Tags of the versions that the change is for; whichever it is when absent. Else 412.',
  schema: Type.String(),
}

/** What the API description says of the routes of cards. */
export const CARD_DOCS = {
  listCards: {
    summary: 'Cards by filters, in the order in which they were made',
    query: CARD_PARAMETERS,
    answers: { 200: { description: 'A page', schema: CardListSchema } },
  },
  createCard: {
    summary: 'Makes a card',
    body: { 'application/json': NewCardSchema },
    answers: { 201: { description: 'Made; its tag is the version', schema: CardSchema } },
  },
  getCard: {
    summary: 'One card',
    headers: [{ name: 'If-None-Match', description: 'Tags that are known already.', schema: Type.String() }],
    answers: {
      200: { description: 'The card; its tag is the version', schema: CardSchema },
      304: { description: 'It is a version that is known' },
    },
  },
  updateCard: {
    summary: 'Changes or moves a card; what is not sent stays',
    headers: [IF_MATCH],
    body: { 'application/json': CardChangesSchema },
    answers: { 200: { description: 'As it is now', schema: CardSchema } },
  },
  deleteCard: {
    summary: 'Deletes a card; its runs stay',
    headers: [IF_MATCH],
    answers: { 204: { description: 'Deleted' } },
  },
} satisfies Record<string, RouteDoc>
