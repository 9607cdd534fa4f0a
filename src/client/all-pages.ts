import { CARD_LIMITS } from '../model/board/card.js'
import { isObject } from '../model/json-object.js'
import { SUBSCRIPTION_LIMITS } from '../model/subscriptions/subscription.js'
import { Answer, BOARD, LEDGER } from './answer.js'
import type { BoardClient, CardParameters } from './board-client.js'
import type { LedgerClient } from './ledger-client.js'

/**
 * Every page of `GET /api/subscriptions`, as one answer. An earlier release returns all of them as one page.
 *
 * @throws AppError `unavailable/not_a_ledger` for pages that no ledger returns; as `LedgerClient`
 */
export async function listAllSubscriptions(client: Pick<LedgerClient, 'subscriptions'>): Promise<Answer> {
  const items: unknown[] = []
  for (let after: string | undefined; ; ) {
    const limit = String(SUBSCRIPTION_LIMITS.page)
    const answer = await client.subscriptions({ limit, ...(after === undefined ? {} : { after }) })
    const page = readPage(answer)
    if (page.next === undefined) return answer
    items.push(...page.items)
    if (page.next === null) {
      const whole = { items, count: items.length }
      return new Answer(answer.status, Buffer.from(JSON.stringify(whole)), LEDGER)
    }
    if (page.items.length === 0 || page.next === after) throw answer.mismatch(SUBSCRIPTION_PAGE)
    after = page.next
  }
}

function readPage(answer: Answer): { items: unknown[]; next: string | null | undefined } {
  const page = answer.json()
  if (!isObject(page) || !Array.isArray(page.items)) throw answer.mismatch(SUBSCRIPTION_PAGE)
  const next = page.next
  if (next !== null && next !== undefined && typeof next !== 'string') throw answer.mismatch(SUBSCRIPTION_PAGE)
  return { items: page.items, next }
}

const SUBSCRIPTION_PAGE = 'a page of subscriptions'

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
    const page = readCardPage(answer)
    items.push(...page.items)
    const leadsOn = page.next === null || (page.next > after && page.items.length > 0)
    if (!leadsOn || items.length > CARD_LIMITS.cards) throw answer.mismatch(CARD_PAGE)
    after = page.next
    if (after !== null) continue
    if (items.length === page.items.length) return answer
    const whole = { ...page, items, count: items.length }
    return new Answer(answer.status, Buffer.from(JSON.stringify(whole)), BOARD)
  }
}

function readCardPage(answer: Answer): { items: unknown[]; next: number | null } {
  const page = answer.json()
  if (!isObject(page) || !Array.isArray(page.items)) throw answer.mismatch(CARD_PAGE)
  const { next = null } = page
  if (next !== null && typeof next !== 'number') throw answer.mismatch(CARD_PAGE)
  return { ...page, items: page.items, next }
}

const CARD_PAGE = 'a page of cards'
