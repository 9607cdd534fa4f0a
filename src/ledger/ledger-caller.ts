import { AppError } from '../model/app-error.js'
import type { Subscription } from '../model/subscriptions/subscription.js'

/** The identity for which subscriptions and consumers are read and changed. */
export type LedgerCaller =
  /** No user, in a ledger without users: every subscription belongs to everyone. */
  | { role: 'open' }
  /** May use all of them, and what the ledger stores about each. */
  | { role: 'admin' }
  /** May use its own; owns what it creates. */
  | { role: 'member'; userId: string }

export function mayChange(caller: LedgerCaller, { owner_user_id }: Pick<Subscription, 'owner_user_id'>): boolean {
  return caller.role !== 'member' || caller.userId === owner_user_id
}

export function foreignSubscription(): AppError {
  return new AppError('forbidden', 'forbidden', 'The subscription with this id belongs to someone else.', {
    hint: 'Save it under another id.',
  })
}
