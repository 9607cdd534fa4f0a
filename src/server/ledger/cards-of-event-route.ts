import Type from '#typebox'
import { CARD_LIMITS } from '../../model/board/card.js'
import { type LinkedCards, LinkedCardsSchema } from '../../model/board/linked-items.js'
import { json } from '../answer/reply.js'
import type { ListLinkedCards } from '../board/linked-cards.js'
import { documented, type LedgerEndpoint } from '../http/route.js'
import { QueryString } from '../request/query-string.js'

/** `GET /api/cards`: the board's cards that link to an event, if the board lets this request read them. */
export function listCardsOfEvent({ listLinkedCards }: { listLinkedCards: ListLinkedCards }): LedgerEndpoint {
  return documented(DOC, async req => {
    const query = new QueryString(req.search, ['link'])
    const key = query.text('link', CARD_LIMITS.linkCharacters)
    if (key === undefined) query.refuse('link', 'link must be the dedupe key of an event.')
    query.finish()
    const items = await listLinkedCards(req, key ?? '')
    const answer: LinkedCards = { items: items ?? [], may_read: items !== undefined }
    return json(200, answer)
  })
}

const DOC = {
  summary: 'The cards of the board that link to an event',
  description: 'Empty if the board is not served by this process, or the caller may not read it.',
  query: [{ name: 'link', description: 'The dedupe key of the event; required.', schema: Type.String() }],
  answers: { 200: { description: 'The cards', schema: LinkedCardsSchema } },
}
