import { AppError } from '../model/app-error.js'
import type { Subscription } from '../model/subscription.js'

/** For whom subscriptions are read and changed. */
export type SubscriptionCaller =
  /** Nobody in particular, in a ledger without users: all of them are everybody's. */
  | { role: 'open' }
  /** All of them, and also what the ledger keeps of each. */
  | { role: 'admin' }
  /** Its own; whatever it creates is its own. */
  | { role: 'member'; userId: string }

export function mayTouch(caller: SubscriptionCaller, { owner_user_id }: Pick<Subscription, 'owner_user_id'>): boolean {
  return caller.role !== 'member' || caller.userId === owner_user_id
}

export function foreignSubscription(): AppError {
  return new AppError('forbidden', 'forbidden', 'The subscription of this id is not yours.', {
    hint: 'Save it under another id.',
  })
}
