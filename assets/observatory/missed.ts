import { useState } from 'preact/hooks'
import type { Subscription } from '#model/subscriptions/subscription'
import { CopyButton } from '../shared/controls/copy.js'
import { Dialog } from '../shared/controls/dialog.js'
import { Glyph } from '../shared/controls/glyph.js'
import { html } from '../shared/html.js'
import { now } from '../shared/words/now.js'
import { count, counted } from '../shared/words/text.js'
import { Time } from '../shared/words/time-view.js'
import { caughtUp } from './events/list/live.js'
import type { Overview } from './overview.js'
import { sourceLabel } from './overview.js'
import { troubleWords } from './subscriptions/capture-words.js'
import { isFailing } from './subscriptions/watch-times.js'

interface MissedProps {
  overview: Overview
  /** The watches that the server captures. */
  watched: readonly Subscription[]
}

/** Whether events may be missing, in a few words; opens what is known about it. */
export function MissedMark(props: MissedProps) {
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
    ${
      isShown &&
      html`<${Dialog} title="Was anything missed?" onClose=${() => setShown(false)}><${MissedFacts} ...${props} /><//>`
    }`
}

/** What the ledger and this page know about missing events. */
export function MissedFacts({ overview: { stats, health }, watched }: MissedProps) {
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
          : html`<p>Refused since the server started, <${Time} at=${since} as="relative" />. Correct the cause, then let the platform send them again.</p>
            <ul>${items.map(one => html`<li>${count(one.count)} of ${sourceLabel(one.source)}: ${reasonWords(one.code)}, last <${Time} at=${one.last_at} as="relative" /></li>`)}</ul>`
      }
    </dd></div>
    ${
      watched.length > 0 &&
      html`<div><dt>Captures</dt><dd>
        <p>${behind.length === 0 ? `All ${count(watched.length)} are working.` : `${count(behind.length)} of ${count(watched.length)} are behind. Each continues where it stopped.`}</p>
        <ul>${behind.map(one => html`<li>${one.target}: ${troubleWords(one, now.value)}</li>`)}</ul>
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

const REASONS: Readonly<Record<string, string>> = {
  signature_invalid: 'the signature matches no configured secret',
  delivery_unverified: 'not verified, which the server requires',
  invalid_json: 'the body is not readable',
  body_too_large: 'the body is too large',
}

function reasonWords(code: string): string {
  return (Object.hasOwn(REASONS, code) ? REASONS[code] : undefined) ?? code.replaceAll('_', ' ')
}

function failing(watched: readonly Subscription[]): Subscription[] {
  return watched.filter(one => isFailing(one, now.value))
}
