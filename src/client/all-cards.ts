import { AppError } from '../model/app-error.js'
import { CARD_LIMITS } from '../model/board/card.js'
import { Answer } from './answer.js'
import type { BoardClient, CardParameters } from './board-client.js'
import { BOARD } from './server-names.js'

type CardFilters = Omit<CardParameters, 'limit' | 'after'>

/**
 * Every page of `GET /api/cards`, as one answer.
 *
 * @throws AppError `unavailable/not_a_board` for pages that no board returns; as `BoardClient`
 */
export async function listAllCards(client: Pick<BoardClient, 'cards'>, filters: CardFilters): Promise<Answer> {
  const items: unknown[] = []
  for (let after: number | null = 0; ; ) {
    const answer = await client.cards({ ...filters, ...(after > 0 ? { after: String(after) } : {}) })
    const page = readPage(answer)
    items.push(...page.items)
    const leadsOn = page.next === null || (page.next > after && page.items.length > 0)
    if (!leadsOn || items.length > CARD_LIMITS.cards) throw notAPage()
    after = page.next
    if (after !== null) continue
    if (items.length === page.items.length) return answer
    const whole = { ...page, items, count: items.length }
    return new Answer(answer.status, Buffer.from(JSON.stringify(whole)), BOARD)
  }
}

function readPage(answer: Answer): { items: unknown[]; next: number | null } {
  const page = answer.json()
  if (typeof page !== 'object' || page === null || !('items' in page) || !Array.isArray(page.items)) throw notAPage()
  const next = 'next' in page ? page.next : null
  if (next !== null && typeof next !== 'number') throw notAPage()
  return { ...page, items: page.items, next }
}

function notAPage(): AppError {
  const hint = `Check ${BOARD.givenBy}.`
  return new AppError('unavailable', BOARD.mismatchCode, 'The answer is not a page of cards.', { hint })
}
