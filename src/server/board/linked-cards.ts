import type { Gate } from '../../gate/gate.js'
import type { ToAddress } from '../../login/caller-address.js'
import { CARD_LIMITS } from '../../model/board/card.js'
import type { LinkedCard } from '../../model/board/linked-items.js'
import { type AskedThrough, askOtherProgram } from '../request/ask-other-program.js'
import type { ServedCards } from './card-routes.js'
import { factsOf } from './gate-facts.js'

/**
 * Lists the cards that link to an event, for the ledger.
 *
 * @returns the oldest cards, at most a page; undefined if the board does not let the request read
 */
export type ListLinkedCards = (through: AskedThrough, key: string) => Promise<LinkedCard[] | undefined>

export function linkedCardsReader(parts: {
  gate: Pick<Gate, 'admit'>
  cards: Pick<ServedCards, 'list'>
  throttleAddress: ToAddress
}): ListLinkedCards {
  const { gate, cards, throttleAddress } = parts
  const admit = (req: AskedThrough & { local: false }) =>
    gate.admit(factsOf({ ...req, method: 'GET' }, 'api', throttleAddress))
  return (through, link) =>
    askOtherProgram(through, admit, async () => {
      const { items } = await cards.list({ link, limit: CARD_LIMITS.pageSize.default })
      return items.map(({ id, title, column }) => ({ id, title, column }))
    })
}
