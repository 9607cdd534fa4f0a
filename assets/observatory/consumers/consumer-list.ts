import { effect, signal } from '@preact/signals'
import type { Consumer } from '#model/consumers/consumer'
import type { List } from '#model/ledger-answers'
import { api, createResource, segment } from '../../shared/server/api.js'
import { outage } from '../../shared/server/connection.js'

/** How often the list is loaded while it is shown, and how many lags are kept: ten minutes. */
const EVERY_MS = 5_000
const MOST_LAGS = 120

/** Since the page was opened, oldest first, by name. */
export const lags = signal<ReadonlyMap<string, readonly number[]>>(new Map())

/** Those of the user; all for an admin. */
export const consumers = createResource(async signal => {
  const { items } = await api<List<Consumer>>('/api/consumers', { signal })
  const kept = lags.peek()
  lags.value = new Map(items.map(({ name, lag }) => [name, [...(kept.get(name) ?? []), lag.events].slice(-MOST_LAGS)]))
  return items
})

/** Keeps the list fresh until the returned function is called. */
export function followConsumers(): () => void {
  const load = () => {
    if (document.visibilityState === 'visible' && !outage.peek()) void consumers.load()
  }
  const timer = window.setInterval(load, EVERY_MS)
  const stop = effect(() => {
    if (outage.value === undefined) void consumers.load()
  })
  return () => {
    window.clearInterval(timer)
    stop()
  }
}

export function consumerPath({ name }: Pick<Consumer, 'name'>): string {
  return `/api/consumers/${segment(name)}`
}

/** `kind: issue.*, job.* · not actor: bot` */
export function filterWords({ filters }: Pick<Consumer, 'filters'>): string {
  const parts = Object.entries(filters).map(([name, values]) => {
    const words = name.replace(/^exclude_/, 'not ').replaceAll('_', ' ')
    return `${words}: ${[values].flat().join(', ')}`
  })
  return parts.length > 0 ? parts.join(' · ') : 'Every event'
}
