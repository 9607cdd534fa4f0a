import type { CaptureState, Subscription } from '../../model/subscriptions/subscription.js'
import type { LedgerKept, SubscriptionStore } from '../subscription-store.js'
import type { StoreThread } from './store-thread.js'

/** Subscriptions over the store's thread. */
export class SqliteSubscriptionStore implements SubscriptionStore {
  constructor(private readonly thread: StoreThread) {}

  findById(subscriptionId: string): Promise<Subscription | undefined> {
    return this.thread.read({ task: 'find_subscription', subscriptionId })
  }

  listByIds(ids: readonly string[]): Promise<Subscription[]> {
    return this.thread.read({ task: 'list_subscriptions_by_ids', ids })
  }

  list(owner?: string): Promise<Subscription[]> {
    return this.thread.read({ task: 'list_subscriptions', ...(owner === undefined ? {} : { owner }) })
  }

  listPage(page: { owner?: string; after?: string; limit: number }): Promise<Subscription[]> {
    return this.thread.read({ task: 'page_subscriptions', ...page })
  }

  count(owner: string | null): Promise<number> {
    return this.thread.read({ task: 'count_subscriptions', owner })
  }

  save(subscription: Subscription, overwrite: readonly LedgerKept[] = []) {
    return this.thread.write<{ created: boolean; subscription: Subscription }>({
      task: 'save_subscription',
      subscription,
      overwrite,
    })
  }

  async noteCapture(subscriptionId: string, changes: CaptureState, cursor?: string): Promise<void> {
    const moved = cursor === undefined ? {} : { cursor }
    await this.thread.write({ task: 'note_capture', subscriptionId, changes, ...moved })
  }

  delete(subscriptionId: string): Promise<boolean> {
    return this.thread.write({ task: 'delete_subscription', subscriptionId })
  }
}
