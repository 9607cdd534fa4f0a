import type { Subscription } from '../model/subscription.js'

/** Rows of subscriptions. `body` is the complete subscription, kept complete when events move its cursor. */
export interface SubscriptionStore {
  findById(id: string): Promise<Subscription | undefined>

  /** All, or one owner's, by id. */
  list(owner?: string): Promise<Subscription[]>

  /**
   * Creates or replaces by id. `last_event_at` and `last_cursor` move with every event that matches, so they are kept
   * from the stored row, inside the transaction, unless named in `overwrite`.
   */
  save(
    subscription: Subscription,
    overwrite?: readonly LedgerKept[],
  ): Promise<{ created: boolean; subscription: Subscription }>

  /** @returns whether there was one */
  delete(id: string): Promise<boolean>
}

/** Members of a subscription that the ledger moves by itself. */
export type LedgerKept = 'last_cursor' | 'last_event_at'
