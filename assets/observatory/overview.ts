import { effect } from '@preact/signals'
import type { Subscription } from '#model/subscriptions/subscription'
import { api } from '../shared/server/api.js'
import { outage } from '../shared/server/connection.js'
import { createResource } from '../shared/server/resource.js'
import type { Health, Stats, SubscriptionPage } from '../shared/server/wire.js'

export interface Overview {
  stats: Stats
  health: Health
  subscriptions: readonly Subscription[]
}

const EVERY_MS = 30_000

/** Data about the whole ledger for strip and tabs. Load it after a change that affects it. */
export const overview = createResource<Overview>(async signal => {
  const [stats, health, subscriptions] = await Promise.all([
    api<Stats>('/api/stats', { signal }),
    api<Health>('/api/health', { signal }),
    listSubscriptions(signal),
  ])
  return { stats, health, subscriptions }
})

/** Page by page. */
async function listSubscriptions(signal: AbortSignal): Promise<Subscription[]> {
  const items: Subscription[] = []
  for (let after = ''; ; ) {
    const page = await api<SubscriptionPage>(`/api/subscriptions?limit=500${after}`, { signal })
    items.push(...page.items)
    if (page.next === null) return items
    after = `&after=${encodeURIComponent(page.next)}`
  }
}

/** Reloads it every half minute while the page is visible, and when the server is back. */
export function keepOverviewFresh(): void {
  let wasOut = false
  void overview.load()
  const freshen = () => {
    if (document.visibilityState === 'visible' && !outage.peek()) void overview.load()
  }
  window.setInterval(freshen, EVERY_MS)
  document.addEventListener('visibilitychange', freshen)
  effect(() => {
    const isOut = outage.value !== undefined
    if (wasOut && !isOut) void overview.load()
    wasOut = isOut
  })
}
