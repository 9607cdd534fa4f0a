import type { CaptureState, Subscription } from '../model/subscriptions/subscription.js'

/** Rows of subscriptions. `body` is the complete subscription, kept complete when events move its cursor. */
export interface SubscriptionStore {
  findById(id: string): Promise<Subscription | undefined>

  /** Those of these that are there, in the order of the ids. */
  listByIds(ids: readonly string[]): Promise<Subscription[]>

  /** All, or one owner's, by id. */
  list(owner?: string): Promise<Subscription[]>

  /** A page of the same list: the first `limit` whose id comes after `after`. */
  listPage(page: { owner?: string; after?: string; limit: number }): Promise<Subscription[]>

  /** How many there are of an owner; without an owner for null. */
  count(owner: string | null): Promise<number>

  /**
   * Creates or replaces by id. `last_event_at`, `last_cursor` and `capture` move with events, so they are kept from the
   * stored row, inside the transaction, unless named in `overwrite`.
   */
  save(
    subscription: Subscription,
    overwrite?: readonly LedgerKept[],
  ): Promise<{ created: boolean; subscription: Subscription }>

  /**
   * Changes members of `capture`, and moves `last_cursor` on to a message id, if given. With another `host` than before,
   * nothing that was read there counts any more, and the cursor is what is given. One that is gone stays gone.
   */
  noteCapture(id: string, changes: CaptureState, cursor?: string): Promise<void>

  /** @returns whether there was one */
  delete(id: string): Promise<boolean>
}

/** Members of a subscription that the ledger moves by itself. */
export type LedgerKept = 'last_cursor' | 'last_event_at' | 'capture'
