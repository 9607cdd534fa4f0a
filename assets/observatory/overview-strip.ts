import type { Subscription } from '#model/subscriptions/subscription'
import { Dialog } from '../shared/controls/dialog.js'
import { SourceGlyph } from '../shared/controls/glyph.js'
import { html } from '../shared/html.js'
import { isPhone } from '../shared/media.js'
import { href } from '../shared/server/address.js'
import { now } from '../shared/words/now.js'
import { count } from '../shared/words/text.js'
import { exactTime, relativeTime } from '../shared/words/time.js'
import { loaded } from './events/list/event-list-state.js'
import { MissedFacts, MissedMark } from './missed.js'
import { withNewerEvents } from './newer-stats.js'
import { bySource, type Overview, overview, sourceKin, sourceLabel } from './overview.js'
import { isFailing, isOver } from './subscriptions/watch-times.js'

/** Query of the subscriptions tab with only failing ones. */
const FAILING = new URLSearchParams({ show: 'failing' })

/** Watches that the server captures, enabled and not expired. */
function captured(subscriptions: readonly Subscription[]): Subscription[] {
  return subscriptions.filter(one => one.enabled && one.capture?.last_attempt_at != null && !isOver(one, now.value))
}

/** Number of currently failing captures. */
export function failingCaptures(): number {
  return (overview.value.value?.subscriptions ?? []).filter(one => isFailing(one, now.value)).length
}

/** The state of the ledger in one line. */
export function OverviewStrip() {
  const current = overview.value.value
  if (isPhone.value) return null
  return html`<section class="strip" aria-label="The ledger as a whole">${
    current &&
    html`<${Items} overview=${current} />
      <${MissedMark} overview=${current} watched=${captured(current.subscriptions)} />`
  }</section>`
}

/** On phones: the same, from the account menu. */
export function LedgerDialog({ onClose }: { onClose: () => void }) {
  const current = overview.value.value
  return html`<${Dialog} title="Ledger" onClose=${onClose}>
    <div class="strip is-list">${current ? html`<${Items} overview=${current} />` : 'Not loaded yet.'}</div>
    ${current && html`<${MissedFacts} overview=${current} watched=${captured(current.subscriptions)} />`}
    ${current && html`<p class="hint">Daybook ${current.health.version}, ${current.health.engine}</p>`}
  <//>`
}

function Items({ overview: { stats: counted, health, subscriptions } }: { overview: Overview }) {
  const { items, epoch } = loaded.value
  // The list may be ahead of the counts, which load every half minute.
  const stats = epoch === health.epoch ? withNewerEvents(counted, items) : counted
  const sources = Object.keys(stats.by_source).sort(bySource)
  const watched = captured(subscriptions)
  const failing = watched.filter(one => isFailing(one, now.value)).length
  const newest = stats.latest_captured_at
  return html`<div class="strip-begin">
    <p class="strip-item"><strong>${count(stats.event_count)}</strong> ${stats.event_count === 1 ? 'event' : 'events'}</p>
    ${stats.duplicate_count > 0 && html`<p class="strip-item"><strong>${count(stats.duplicate_count)}</strong> repeats</p>`}
    ${sources.map(
      source => html`<p class="strip-item" title=${sourceKin(source)}>
        <${SourceGlyph} source=${source} name=${sourceLabel(source)} /><strong>${count(stats.by_source[source]?.events ?? 0)}</strong>
        <span class="strip-source" aria-hidden="true">${sourceLabel(source)}</span>
      </p>`,
    )}
    </div>
    <div class="strip-end">
    ${
      health.status === 'unavailable' &&
      html`<p class="strip-item" title=${health.detail}><span class="tag danger">not accepting events</span><span class="ellipsis">${health.detail}</span></p>`
    }
    ${newest && html`<p class="strip-item strip-newest" title=${exactTime(newest)}>newest ${relativeTime(newest, now.value)}</p>`}
    ${
      watched.length > 0 &&
      html`<p class="strip-item">Captures <strong>${watched.length - failing} of ${watched.length}</strong> working
        ${failing > 0 && html`<a class="tag danger reach" href=${href('/subscriptions', FAILING)}>${failing} failing</a>`}</p>`
    }</div>`
}
