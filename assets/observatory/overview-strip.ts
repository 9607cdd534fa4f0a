import { useState } from 'preact/hooks'
import { count, counted } from '#model/counted'
import type { Stats } from '#model/ledger-answers'
import type { Subscription } from '#model/subscriptions/subscription'
import { href } from '../shared/address.js'
import { CopyButton } from '../shared/controls/copy.js'
import { Dialog } from '../shared/controls/dialog.js'
import { Glyph, SourceGlyph } from '../shared/controls/glyph.js'
import { html } from '../shared/html.js'
import { isPhone } from '../shared/media.js'
import { now } from '../shared/words/now.js'
import { exactTime, relativeTime } from '../shared/words/time.js'
import { Time } from '../shared/words/time-view.js'
import { withNewerEvents } from './events/histogram/histogram-growth.js'
import { loaded } from './events/list/event-list-state.js'
import { caughtUp } from './events/list/live.js'
import { bySource, type Overview, overview, sourceLabel, sourcePlatforms } from './overview.js'
import { failureText, isFailing, isOver } from './subscriptions/capture-words.js'

/** Query of the subscriptions tab with only failing ones. */
const FAILING = new URLSearchParams({ show: 'failing' })

/** Watches that the server captures, enabled and not expired. */
function captured(subscriptions: readonly Subscription[]): Subscription[] {
  return subscriptions.filter(one => one.enabled && one.capture?.last_attempt_at != null && !isOver(one, now.value))
}

export function failingCaptures(): number {
  return (overview.value.value?.subscriptions ?? []).filter(one => isFailing(one, now.value)).length
}

export function OverviewStrip() {
  const current = overview.value.value
  if (isPhone.value) return null
  return html`<section class="strip row" aria-label="The ledger as a whole">${
    current &&
    html`<${Items} overview=${current} />
      <${MissedMark} overview=${current} watched=${captured(current.subscriptions)} />`
  }</section>`
}

/** The content of the strip as a dialog, opened from the account menu on phones. */
export function LedgerDialog({ onClose }: { onClose: () => void }) {
  const current = overview.value.value
  return html`<${Dialog} title="Ledger" onClose=${onClose}>
    ${current ? html`<${LedgerFacts} overview=${current} onClose=${onClose} />` : 'Not loaded yet.'}
  <//>`
}

function LedgerFacts({ overview, onClose }: { overview: Overview; onClose: () => void }) {
  const { health, subscriptions } = overview
  const { event_count: events, duplicate_count: repeats, by_source, latest_captured_at: newest } = statsOf(overview)
  return html`<div class="stack">
    <dl class="facts">
      <div><dt>Recorded</dt><dd>${counted(events, 'event')}${repeats > 0 && `, ${counted(repeats, 'repeat')}`}${newest && `, newest ${relativeTime(newest, now.value)}`}</dd></div>
      ${Object.keys(by_source)
        .sort(bySource)
        .map(
          source => html`<div><dt>${sourceLabel(source)}</dt><dd>${count(by_source[source]?.events ?? 0)}</dd></div>`,
        )}
    </dl>
    <${MissedFacts} overview=${overview} watched=${captured(subscriptions)} onClose=${onClose} />
    <p class="hint">Daybook ${health.version}, ${health.engine}</p>
  </div>`
}

/** The list may be ahead of the counts, which load every half minute. */
function statsOf({ stats, health }: Overview): Stats {
  const { items, epoch } = loaded.value
  return epoch === health.epoch ? withNewerEvents(stats, items) : stats
}

function Items({ overview }: { overview: Overview }) {
  const { health, subscriptions } = overview
  const stats = statsOf(overview)
  const sources = Object.keys(stats.by_source).sort(bySource)
  const watched = captured(subscriptions)
  const failing = watched.filter(one => isFailing(one, now.value)).length
  const newest = stats.latest_captured_at
  return html`<div class="strip-begin">
    <p class="strip-item row"><strong>${count(stats.event_count)}</strong> ${stats.event_count === 1 ? 'event' : 'events'}</p>
    ${stats.duplicate_count > 0 && html`<p class="strip-item row"><strong>${count(stats.duplicate_count)}</strong> repeats</p>`}
    ${sources.map(
      source => html`<p class="strip-item row" title=${sourcePlatforms(source)}>
        <${SourceGlyph} source=${source} name=${sourceLabel(source)} /><strong>${count(stats.by_source[source]?.events ?? 0)}</strong>
      </p>`,
    )}
    </div>
    <div class="strip-end">
    ${health.status === 'unavailable' && html`<p class="strip-item row" title=${health.detail}><span class="tag danger">not accepting events</span><span class="ellipsis">${health.detail}</span></p>`}
    ${newest && html`<p class="strip-item row strip-newest" title=${exactTime(newest)}>newest ${relativeTime(newest, now.value)}</p>`}
    ${
      watched.length > 0 &&
      html`<p class="strip-item row">Captures <strong>${watched.length - failing} of ${watched.length}</strong> working
        ${failing > 0 && html`<a class="tag danger reach" href=${href('/subscriptions', FAILING)}>${failing} failing</a>`}</p>`
    }</div>`
}

interface MissedProps {
  overview: Overview
  /** The watches that the server captures. */
  watched: readonly Subscription[]
}

/** Shows in a few words whether events may be missing, and opens the details. */
function MissedMark(props: MissedProps) {
  const [isShown, setShown] = useState(false)
  const { stats, health } = props.overview
  const refused = stats.refused_deliveries.items.reduce((sum, one) => sum + one.count, 0)
  const warnings = health.warnings?.length ?? 0
  const behind = failing(props.watched).length
  const concerns = [
    refused > 0 && `${count(refused)} refused`,
    behind > 0 && `${count(behind)} behind`,
    warnings > 0 && counted(warnings, 'warning'),
  ].filter(words => words !== false)
  const isGood = concerns.length === 0 && health.status === 'ok'
  return html`<button type="button" class="button quiet strip-missed" aria-haspopup="dialog" onClick=${() => setShown(true)}>
      <${Glyph} name=${isGood ? 'check' : 'warning'} class="small" />${concerns.join(', ') || (isGood ? 'No gaps known' : 'Events missed?')}
    </button>
    ${isShown && html`<${Dialog} title="Was anything missed?" onClose=${() => setShown(false)}><${MissedFacts} ...${props} onClose=${() => setShown(false)} /><//>`}`
}

/** The facts that the ledger and this page have about missing events. */
function MissedFacts({ overview: { stats, health }, watched, onClose }: MissedProps & { onClose: () => void }) {
  const { since, items } = stats.refused_deliveries
  const behind = failing(watched)
  return html`<dl class="facts missed-facts">
    <div><dt>Order</dt><dd>
      ${
        health.head === null
          ? 'No event is recorded yet.'
          : html`<p>${counted(stats.event_count, 'event')} in one order, the newest <${Time} at=${health.head} as="relative" />. A program that continues from its checkpoint receives every event once.</p>
            <p class="code">${health.head} <${CopyButton} text=${() => health.head ?? ''} label="Copy checkpoint" class="quiet" isBare /></p>${health.head_digest && html`<p>Its digest covers every event up to it:</p><p class="code">${health.head_digest} <${CopyButton} text=${() => health.head_digest ?? ''} label="Copy digest" class="quiet" isBare /></p>`}`
      }
    </dd></div>
    <div><dt>Webhooks</dt><dd>
      ${
        items.length === 0
          ? html`<p>No delivery was refused since the server started, <${Time} at=${since} as="relative" />.</p>`
          : html`<p>Deliveries were refused since the server started, <${Time} at=${since} as="relative" />. <a href=${href('/deliveries')} onClick=${onClose}>Which, and why</a></p>`
      }
    </dd></div>
    ${
      watched.length > 0 &&
      html`<div><dt>Captures</dt><dd>
        <p>${behind.length === 0 ? `All ${count(watched.length)} are working.` : `${count(behind.length)} of ${count(watched.length)} are behind. Each continues where it stopped.`}</p>
        <ul>${behind.map(one => html`<li>${one.target}: ${failureText(one, now.value)}</li>`)}</ul>
      </dd></div>`
    }
    <div><dt>Backups</dt><dd>
      <p>${stats.last_backup_at ? html`The newest was made <${Time} at=${stats.last_backup_at} as="relative" />.` : 'This server has made no backup.'}</p>
      <p>${
        stats.last_restored_at
          ? html`The ledger was restored from a backup <${Time} at=${stats.last_restored_at} as="relative" />. Events recorded after that backup, and before it was restored, are missing.`
          : 'The ledger was never restored from a backup.'
      }</p>
    </dd></div>
    ${caughtUp.value && html`<div><dt>This page</dt><dd>${caughtUp.value.words}</dd></div>`}
    ${[health.detail, ...(health.warnings ?? []).map(one => one.detail)].filter(Boolean).map(detail => html`<div><dt>Server</dt><dd>${detail}</dd></div>`)}
  </dl>`
}

function failing(watched: readonly Subscription[]): Subscription[] {
  return watched.filter(one => isFailing(one, now.value))
}
