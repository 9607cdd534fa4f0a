import { useId } from 'preact/hooks'
import type { Platform } from '#model/ledger-answers'
import { defaultIntervalOf, idleIntervalOf, leastIntervalOf } from '#model/subscriptions/polling'
import { Switch } from '../../../shared/controls/switch.js'
import { html } from '../../../shared/html.js'
import { duration, fromSeconds, HOUR, MINUTE } from '../../../shared/words/time.js'
import { moment } from '../capture-words.js'
import {
  type DraftFieldProps,
  isPolledDraft,
  metadataOf,
  sourceOf,
  targetOf,
  withMetadata,
  withReading,
} from './draft.js'

/** Choices for the hot period. */
const HEATS = [
  { value: '2', label: 'for the first 2 hours', ms: 2 * HOUR },
  { value: '24', label: 'for the first day', ms: 24 * HOUR },
  { value: '168', label: 'for the first week', ms: 168 * HOUR },
] as const

const FIRST_CHAT_INTERVAL_SECONDS = 30
const LONGEST_INTERVAL_SECONDS = 86_400

interface CaptureFieldProps extends DraftFieldProps {
  platform: Platform | undefined
}

/** Chooses how a subscription receives its events: by the platform's webhook, or by polling. */
export function CaptureField({ draft, onChange, platform, refusal }: CaptureFieldProps) {
  const id = useId()
  const usesPolling = isPolledDraft(draft)
  const mayRead = platform?.capture_modes.some(mode => mode === 'poll' || mode === 'api_cursor') ?? false
  const source = sourceOf(draft)
  const isChat = source === 'chat'
  const first = isChat ? FIRST_CHAT_INTERVAL_SECONDS : defaultIntervalOf(source)
  const least = leastIntervalOf(source)
  const needsTarget = mayRead && targetOf(draft) === '' && source !== 'forum'
  const whyOff =
    needsTarget && !usesPolling ? `Only a ${isChat ? 'stream or a topic' : 'repository'} can be polled.` : undefined
  const { interval_seconds: interval } = metadataOf(draft)
  const seconds = typeof interval === 'number' ? interval : undefined
  const change = (isOn: boolean) => {
    const changed = withReading(draft, isOn)
    onChange(
      isOn
        ? withMetadata(changed, {
            interval_seconds: seconds ?? first,
            ...(isChat ? { hot_until: inMs(2 * HOUR) } : {}),
          })
        : changed,
    )
  }
  const setSeconds = (text: string) =>
    onChange(withMetadata(draft, { interval_seconds: /^\d+$/.test(text) ? Number(text) : undefined }))
  return html`<fieldset class="form-part">
    <legend class="field-label">How to capture</legend>
    ${
      (mayRead || usesPolling) &&
      html`<div class="capture-row row wrap">
        <${Switch} label="Poll every" isOn=${usesPolling} whyOff=${whyOff} onChange=${change} />
        <span class="inset-field unit-field"><input class="field" type="number" min=${least} max=${LONGEST_INTERVAL_SECONDS} step="1" inputmode="numeric"
          aria-label="Seconds between two captures" aria-describedby=${`${id}-said`} disabled=${!usesPolling}
          value=${seconds ?? (usesPolling ? '' : first)} placeholder=${defaultIntervalOf(source)} aria-invalid=${refusal !== undefined}
          onInput=${(event: InputEvent) => setSeconds((event.target as HTMLInputElement).value)} /><span class="unit" aria-hidden="true">s</span></span>
        ${usesPolling && html`<${Heat} draft=${draft} onChange=${onChange} />`}
      </div>`
    }
    <div id=${`${id}-said`}>
      ${refusal !== undefined && html`<p class="field-problem">Enter whole seconds, ${least} or more.</p>`}
      ${whyOff !== undefined && html`<p class="field-hint">${whyOff}</p>`}
      ${
        usesPolling &&
        html`<p class="field-hint">${pace(seconds ?? defaultIntervalOf(source), metadataOf(draft).hot_until !== undefined)} Requires a server with${' '}
        <code>--capture</code>${isChat ? '' : ' and an account of the platform'}, or the command <code>daybook capture subscription-once --due</code>.</p>`
      }
      <p class="field-hint">${webhookWords(platform, usesPolling)}</p>
    </div>
  </fieldset>`
}

function Heat({ draft, onChange }: DraftFieldProps) {
  const { hot_until: hotUntil } = metadataOf(draft)
  const until = typeof hotUntil === 'string' ? Date.parse(hotUntil) : Number.NaN
  const now = Date.now()
  const chosen =
    HEATS.find(({ ms }) => Math.abs(until - now - ms) < MINUTE)?.value ?? (Number.isNaN(until) ? 'always' : 'kept')
  const choose = (value: string) => {
    const heat = HEATS.find(choice => choice.value === value)
    if (value !== 'kept') onChange(withMetadata(draft, { hot_until: heat && inMs(heat.ms) }))
  }
  return html`<select class="field heat" aria-label="How long at this interval" value=${chosen}
    onChange=${(event: Event) => choose((event.target as HTMLSelectElement).value)}>
    ${HEATS.map(({ value, label }) => html`<option value=${value} selected=${value === chosen}>${label}</option>`)}
    <option value="always" selected=${chosen === 'always'}>always</option>
    ${chosen === 'kept' && html`<option value="kept" selected>until ${moment(until, now)}</option>`}
  </select>`
}

function pace(seconds: number, cools: boolean): string {
  return cools ? `Afterwards every ${duration(idleIntervalOf(seconds) * 1000)}.` : 'The interval does not change.'
}

function webhookWords(platform: Platform | undefined, usesPolling: boolean): string {
  if (!platform) return 'A program sends these events.'
  const { display_name: name, secret_configured: isSecretSet, webhook_path: path, capture_modes: modes } = platform
  if (modes.length === 0) return 'The server reads this feed regularly.'
  const whose = name.split(',')[0]
  if (isSecretSet)
    return `Events that ${whose} sends to the webhook ${path} ${usesPolling ? 'also match' : 'match'}, verified by its secret.`
  const begin = usesPolling ? '' : `By webhook, at ${path}. `
  return `${begin}No webhook secret is set for ${whose}, so a webhook ${usesPolling ? 'would arrive' : 'arrives'} unverified.`
}

function inMs(ms: number): string {
  return fromSeconds(Date.now() + ms)
}
