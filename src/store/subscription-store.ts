import type { QueueMark } from '../model/subscriptions/live-capture.js'
import type { CaptureState, Subscription } from '../model/subscriptions/subscription.js'

/** Subscriptions. `body` is the complete subscription, also after events have moved its cursor. */
export interface SubscriptionStore {
  findById(id: string): Promise<Subscription | undefined>

  /** The ones that exist, in the order of the ids. */
  listByIds(ids: readonly string[]): Promise<Subscription[]>

  /** All, or one owner's, by id. */
  list(owner?: string): Promise<Subscription[]>

  /** A page of the same list: the first `limit` whose id comes after `after`. */
  listPage(page: { owner?: string; after?: string; limit: number }): Promise<Subscription[]>

  /** How many an owner has; null counts those without an owner. */
  count(owner: string | null): Promise<number>

  /**
   * Creates or replaces by id. Events change `last_event_at`, `last_cursor` and `capture`, so the transaction keeps the
   * stored values, unless `overwrite` names them.
   *
   * @param readAs what the caller has read under the id, or null for nothing. Absent: the stored one is replaced in any
   *   case
   * @throws StaleMatches if another server has changed it since
   */
  save(
    subscription: Subscription,
    overwrite?: readonly MaintainedMember[],
    readAs?: Subscription | null,
  ): Promise<{ created: boolean; subscription: Subscription }>

  /**
   * Changes members of `capture`, and moves `last_cursor` forward to a message id, if given. If `host` changes, the
   * state of the former host is discarded and the given cursor replaces the old one. A deleted subscription stays
   * deleted.
   */
  noteCapture(id: string, changes: CaptureState, cursor?: string): Promise<void>

  /** Where reading of a chat server's event queue stopped. */
  findQueueMark(): Promise<QueueMark | undefined>

  /** Replaces it. */
  saveQueueMark(mark: QueueMark): Promise<void>

  /** @returns whether it existed */
  delete(id: string): Promise<boolean>
}

/** Members of a subscription that the ledger changes. */
export type MaintainedMember = 'last_cursor' | 'last_event_at' | 'capture'
