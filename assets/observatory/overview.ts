import { effect } from '@preact/signals'
import type { Health, List, Platform, Stats, SubscriptionList } from '#model/ledger-answers'
import { isPlatformSource, PLATFORM_NAMES } from '#model/platforms/platform-source'
import type { Subscription } from '#model/subscriptions/subscription'
import { api, createResource, type Resource } from '../shared/server/api.js'
import { onReturn, outage } from '../shared/server/connection.js'

export interface Overview {
  stats: Stats
  health: Health
  subscriptions: readonly Subscription[]
}

/** A load that takes longer has lost its connection. */
const STALLED_MS = 60_000
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

async function listSubscriptions(signal: AbortSignal): Promise<Subscription[]> {
  const items: Subscription[] = []
  for (let after = ''; ; ) {
    const page = await api<SubscriptionList>(`/api/subscriptions?limit=500${after}`, { signal })
    items.push(...page.items)
    if (page.next === null) return items
    after = `&after=${encodeURIComponent(page.next)}`
  }
}

/** Loads now, and unless it loads: repeatedly while visible, and when the page or the server is back. @returns ends it */
export function keepFresh({ load, isLoading }: Resource<unknown>, everyMs = EVERY_MS): () => void {
  let begun = performance.now()
  const reload = () => {
    const isAtWork = isLoading.peek() && performance.now() - begun < STALLED_MS
    if (document.visibilityState !== 'visible' || outage.peek() || isAtWork) return
    begun = performance.now()
    void load()
  }
  const timer = window.setInterval(reload, everyMs)
  document.addEventListener('visibilitychange', reload)
  const stop = onReturn(reload)
  void load()
  return () => {
    window.clearInterval(timer)
    document.removeEventListener('visibilitychange', reload)
    stop()
  }
}

export const platforms = createResource(async signal => {
  const { items } = await api<List<Platform>>('/api/platforms', { signal })
  return items
})

/** Loads the catalogue, again whenever the server is back, until the returned function is called. */
export function loadPlatforms(): () => void {
  return effect(() => {
    if (outage.value === undefined && platforms.value.peek() === undefined) void platforms.load()
  })
}

/** Display order of sources; others come last, by name. */
const ORDER = ['chat', 'code_a', 'code_b', 'forum']

export function bySource(a: string, b: string): number {
  const place = (source: string) => (ORDER.includes(source) ? ORDER.indexOf(source) : ORDER.length)
  return place(a) - place(b) || a.localeCompare(b)
}

/** `GitHub`: the first name of a platform, or the identifier of another source. */
export function sourceLabel(source: string): string {
  return sourcePlatforms(source).split(', ')[0] ?? source
}

/** `GitHub, Gitea, Forgejo, Gogs`: all platforms that send events of this source. */
export function sourcePlatforms(source: string): string {
  return isPlatformSource(source) ? PLATFORM_NAMES[source] : source
}
