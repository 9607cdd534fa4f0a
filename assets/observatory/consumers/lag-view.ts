import type { Consumer } from '#model/consumers/consumer'
import { html } from '../../shared/html.js'
import { count } from '../../shared/words/text.js'
import { duration } from '../../shared/words/time.js'
import { lags } from './consumer-list.js'

const SIZE = { width: 72, height: 18 }

/** How far a consumer is behind, in words and as a line since the page was opened. */
export function LagView({ consumer }: { consumer: Consumer }) {
  const { events, seconds, exact } = consumer.lag
  const amount = exact ? count(events) : `${count(events)} or more`
  const words =
    events === 0 && exact ? '0' : html`${amount} <span class="hint">for ${duration(seconds * 1000, 1)}</span>`
  return html`<span class="lag"><${LagLine} name=${consumer.name} /><span>${words}</span></span>`
}

function LagLine({ name }: { name: string }) {
  const known = lags.value.get(name) ?? []
  // One value is a level line.
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
