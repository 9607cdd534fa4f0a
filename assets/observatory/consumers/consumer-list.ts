import { signal } from '@preact/signals'
import type { Consumer } from '#model/consumers/consumer'
import { count } from '#model/counted'
import type { List } from '#model/ledger-answers'
import { html } from '../../shared/html.js'
import { api, createResource, segment } from '../../shared/server/api.js'
import { duration } from '../../shared/words/time.js'

/** How often the list is loaded while it is shown, and how many lags are kept: ten minutes. */
export const EVERY_MS = 5_000
const MOST_LAGS = 120

/** Lags since the page was opened, oldest first, by name of the consumer. */
const lags = signal<ReadonlyMap<string, readonly number[]>>(new Map())

/** The consumers of the user; for an admin, all. */
export const consumers = createResource(async signal => {
  const { items } = await api<List<Consumer>>('/api/consumers', { signal })
  const kept = lags.peek()
  lags.value = new Map(items.map(({ name, lag }) => [name, [...(kept.get(name) ?? []), lag.events].slice(-MOST_LAGS)]))
  return items
})

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

const SIZE = { width: 72, height: 18 }

/** The lag of a consumer, in words and as a line since the page was opened. */
export function LagView({ consumer }: { consumer: Consumer }) {
  const { events, seconds, exact } = consumer.lag
  const amount = exact ? count(events) : `${count(events)} or more`
  const words =
    events === 0 && exact ? '0' : html`${amount} <span class="hint">for ${duration(seconds * 1000, 1)}</span>`
  return html`<span class="row wrap"><${LagLine} name=${consumer.name} /><span>${words}</span></span>`
}

function LagLine({ name }: { name: string }) {
  const known = lags.value.get(name) ?? []
  // A single value is drawn as a level line.
  const values = known.length === 1 ? [...known, ...known] : known
  const most = Math.max(1, ...values)
  const step = SIZE.width / Math.max(1, values.length - 1)
  const height = SIZE.height - 2
  const points = values.map(
    (value, at) => `${(at * step).toFixed(1)},${(1 + height - (value / most) * height).toFixed(1)}`,
  )
  return html`<svg class="lag-line" viewBox=${`0 0 ${SIZE.width} ${SIZE.height}`} aria-hidden="true">
    <polyline class="line" points=${points.join(' ')} />
  </svg>`
}
