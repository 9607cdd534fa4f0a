import { AppError } from '../model/app-error.js'
import { SUBSCRIPTION_LIMITS } from '../model/subscriptions/subscription.js'
import { Answer } from './answer.js'
import type { LedgerClient } from './ledger-client.js'
import { LEDGER } from './server-names.js'

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
    if (page.items.length === 0 || page.next === after) throw notAPage()
    after = page.next
  }
}

function readPage(answer: Answer): { items: unknown[]; next: string | null | undefined } {
  const page = answer.json()
  if (typeof page !== 'object' || page === null || !('items' in page) || !Array.isArray(page.items)) throw notAPage()
  const next = 'next' in page ? page.next : undefined
  if (next !== null && next !== undefined && typeof next !== 'string') throw notAPage()
  return { items: page.items, next }
}

function notAPage(): AppError {
  const hint = `Check ${LEDGER.givenBy}.`
  return new AppError('unavailable', LEDGER.mismatchCode, 'The answer is not a page of subscriptions.', { hint })
}
