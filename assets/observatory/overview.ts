import { effect } from '@preact/signals'
import { api } from '../shared/api.js'
import { outage } from '../shared/connection.js'
import { createResource } from '../shared/resource.js'
import type { Health, List, Stats, Subscription } from '../shared/wire.js'

export interface Overview {
  stats: Stats
  health: Health
  subscriptions: readonly Subscription[]
}

const EVERY_MS = 30_000

/** What the strip and the tabs say of the ledger as a whole. Load it after a change that it would show. */
export const overview = createResource<Overview>(async signal => {
  const [stats, health, { items }] = await Promise.all([
    api<Stats>('/api/stats', { signal }),
    api<Health>('/api/health', { signal }),
    api<List<Subscription>>('/api/subscriptions', { signal }),
  ])
  return { stats, health, subscriptions: items }
})

/** From now on it is loaded every half a minute while the page is seen, and when the server is back. */
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
