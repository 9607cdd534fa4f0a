import type { Subscription } from '../../model/subscriptions/subscription.js'
import type { Store } from '../../store/store.js'
import type { StoredToken, StoredUser } from '../../store/user-store.js'

/** What a ledger has apart from its events. */
export interface LedgerState {
  /** It has, or once had, users or an admin token. */
  closed: boolean
  subscriptions: Subscription[]
  users: StoredUser[]
  /** In the order in which they were issued to each user. */
  tokens: StoredToken[]
}

export async function readLedgerState({
  subscriptions,
  users,
}: Pick<Store, 'subscriptions' | 'users'>): Promise<LedgerState> {
  const stored = await users.list()
  const tokens: StoredToken[] = []
  for (const { id } of stored) tokens.push(...(await users.listTokens(id)))
  return {
    closed: await users.isClosed(),
    subscriptions: await subscriptions.list(),
    users: stored.map(({ token_count: _, ...user }) => user),
    tokens,
  }
}
