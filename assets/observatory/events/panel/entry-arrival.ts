import type { StoredEvent } from '#model/events/event'
import { VerifiedMark, verifiedWords } from '../../../shared/controls/glyph.js'
import { classes, html } from '../../../shared/html.js'
import { href } from '../../../shared/server/address.js'
import { now } from '../../../shared/words/now.js'
import { counted } from '../../../shared/words/text.js'
import { Words } from '../../../shared/words/text-view.js'
import {
  clockTime,
  dateWords,
  dayOf,
  duration,
  exactTime,
  localOffset,
  offsetWords,
  toMs,
} from '../../../shared/words/time.js'
import { overview } from '../../overview.js'

const ROUTES: Readonly<Record<StoredEvent['provenance']['route'], string>> = {
  api: 'API',
  webhook: 'webhook',
  capture: 'capture',
  import: 'import',
  ledger: 'the ledger itself',
}
/** Differences between clocks up to this are ignored. */
const SAME_MS = 2_000
const SHORT = 300

/** First and last arrival of the event, its route, its verification, and its subscriptions. */
export function EntryArrival({ event }: { event: StoredEvent }) {
  const { captured_at: at, provenance, seen_count: seen, last_seen_at: last, subscription_ids: ids } = event
  const { verified, delivery_id: delivery } = provenance
  const again = seen - 1
  return html`<section class="panel-section" aria-label="Delivery">
    <h3>Delivery</h3>
    <dl class="facts">
      <div><dt>First seen</dt><dd>
        <time class="code" datetime=${at} title=${exactTime(at)}>${clockTime(at)}${at.slice(19, 26)}</time>
        <span class="quiet-text"> ${offsetWords(localOffset(toMs(at)))}${delay(event)}</span>
      </dd></div>
      ${
        again > 0 &&
        html`<div><dt>Seen again</dt><dd>${counted(again, 'time')}, last ${dayOf(last) === dayOf(at) ? 'at' : dateWords(last, now.value)}${' '}
          <time class="code" datetime=${last} title=${exactTime(last)}>${clockTime(last)}</time></dd></div>`
      }
      <div><dt>Route</dt><dd>${ROUTES[provenance.route] ?? provenance.route}${
        delivery && html` <span class="code quiet-text">delivery <${Words} text=${delivery} limit=${SHORT} /></span>`
      }</dd></div>
      <div><dt>Verified</dt><dd class=${classes('entry-verified', verified !== 'none' && 'is-proved')}>
        <span aria-hidden="true"><${VerifiedMark} verified=${verified} /></span> <span>${verifiedWords(verified)}</span>
      </dd></div>
      <div><dt>Matched</dt><dd>${ids.length === 0 ? 'no subscription' : html`<${Subscriptions} ids=${ids} />`}</dd></div>
    </dl>
  </section>`
}

function Subscriptions({ ids }: { ids: readonly string[] }) {
  const known = overview.value.value?.subscriptions
  return html`${ids.map((id, at) => {
    const found = known?.find(subscription => subscription.id === id)
    const link = href('/subscriptions', new URLSearchParams({ edit: id }))
    // Subscriptions missing from the list have been deleted; their events stay.
    const shown = found
      ? html`<a href=${link}><${Words} text=${found.target} limit=${SHORT} /></a>`
      : html`<span class="code"><${Words} text=${id} limit=${SHORT} /></span>${known && ' (deleted)'}`
    return html`${at > 0 && ', '}${shown}`
  })}`
}

function delay({ occurred_at: occurred, captured_at: captured }: StoredEvent) {
  if (occurred === null || Number.isNaN(toMs(occurred))) return ''
  const ms = toMs(captured) - toMs(occurred)
  const title = `It happened ${exactTime(occurred)}`
  if (ms < -SAME_MS)
    return html` · <span title=${title}>${duration(-ms)} before it happened, by the source’s clock</span>`
  const words = ms < 10_000 ? `${(Math.max(0, ms) / 1000).toFixed(1)}\u202fs` : duration(ms)
  return html` · <span title=${title}>${words} after it happened</span>`
}
