import { useState } from 'preact/hooks'
import { count } from '#model/counted'
import type { Subscription } from '#model/subscriptions/subscription'
import { href } from '../../shared/address.js'
import { Glyph, type GlyphName, SourceGlyph } from '../../shared/controls/glyph.js'
import { Menu, type MenuItem } from '../../shared/controls/menu.js'
import { Switch } from '../../shared/controls/switch.js'
import { classes, html } from '../../shared/html.js'
import { isOpen } from '../../shared/server/session.js'
import { now } from '../../shared/words/now.js'
import { Words } from '../../shared/words/text-view.js'
import { DAY, HOUR, toMs } from '../../shared/words/time.js'
import { Time } from '../../shared/words/time-view.js'
import { platforms, sourceLabel } from '../overview.js'
import { type CaptureState, captureWords, expiredWords, failureText, isFailing, timeLeft } from './capture-words.js'
import { kindsLine } from './form/kind-titles.js'
import { deleteSubscription, ownerName, switchSubscription, whyReadOnly } from './subscription-changes.js'
import { nameOf, TargetView } from './target-view.js'

/** Number of rows shown at first, and added by a button. Each row consists of about thirty elements. */
const STEP = 200

interface SubscriptionTableProps {
  subscriptions: readonly Subscription[]
  selectedId: string
  onEdit: (subscription: Subscription) => void
  onTry: (subscription: Subscription) => void
}

export function SubscriptionTable({ subscriptions, selectedId, onEdit, onTry }: SubscriptionTableProps) {
  const [most, setMost] = useState(STEP)
  const left = subscriptions.length - most
  return html`<div class="table-scroll subscriptions">
    <table class="table">
      <thead><tr>
        <th class="subscription-on">On</th><th class="subscription-what">What is watched</th><th class="subscription-capture">Capture</th>
        <th class="subscription-left">Time left</th><th class="subscription-last">Last event</th>
        ${!isOpen() && html`<th class="subscription-owner">Owner</th>`}
        <th class="subscription-more"><span class="visually-hidden">More</span></th>
      </tr></thead>
      <tbody>
        ${subscriptions.slice(0, most).map(
          subscription => html`<${SubscriptionRow} key=${subscription.id} subscription=${subscription} owner=${ownerName(subscription)}
            isSelected=${subscription.id === selectedId} onEdit=${() => onEdit(subscription)} onTry=${() => onTry(subscription)} />`,
        )}
      </tbody>
    </table>
    ${
      left > 0 &&
      html`<p class="list-more"><button type="button" class="button" onClick=${() => setMost(most + STEP)}>
        Show ${count(Math.min(STEP, left))} more of ${count(left)}
      </button></p>`
    }
  </div>`
}

interface SubscriptionRowProps {
  subscription: Subscription
  owner: string
  isSelected: boolean
  onEdit: () => void
  onTry: () => void
}

function SubscriptionRow({ subscription, owner, isSelected, onEdit, onTry }: SubscriptionRowProps) {
  const { id, source, event_kinds: kinds, metadata, enabled, last_event_at: lastEvent } = subscription
  const name = nameOf(subscription)
  const whyOff = whyReadOnly(subscription)
  const trouble = failureText(subscription, now.value)
  const expired = expiredWords(subscription, now.value)
  const events = eventsLink(subscription, now.value)
  const reason = typeof metadata.reason === 'string' ? metadata.reason : ''
  const isQuiet = !enabled || expired !== undefined
  const items: MenuItem[] = [
    { label: 'Edit…', glyph: 'pencil', note: 'e', onChoose: onEdit },
    { label: 'Its events', glyph: 'list', href: events },
    {
      label: 'Copy as new…',
      glyph: 'copy',
      href: href('/subscriptions', new URLSearchParams({ new: 'true', like: id })),
    },
    ...(isFailing(subscription, now.value) ? [{ label: 'Try now…', glyph: 'play', onChoose: onTry } as const] : []),
    { label: 'Delete', glyph: 'trash', isDanger: true, whyOff, onChoose: () => deleteSubscription(subscription) },
  ]
  // Keyboard users have the menu and a shortcut; elements with their own action keep their clicks.
  const pressed = ({ target }: Event) => {
    const isControl = target instanceof Element && target.closest('a, button, input, label, [popover]')
    if (!isControl && getSelection()?.isCollapsed !== false) onEdit()
  }
  return html`<tr class=${classes('subscription', isSelected && 'is-selected', isQuiet && 'is-quiet')} data-id=${id} onClick=${pressed}>
    <td class="subscription-on">
      <${Switch} label=${`Watch ${name}`} isBare isOn=${enabled} whyOff=${whyOff}
        onChange=${(isOn: boolean) => void switchSubscription(subscription, isOn)} />
    </td>
    <td class="subscription-what">
      <a class="row-name subscription-name reach" href=${events} title="Its events">
        <${SourceGlyph} source=${source} name=${sourceLabel(source)} /><${TargetView} subscription=${subscription} />
      </a>
      ${
        trouble
          ? html`<p class="field-problem anywhere"><${Words} text=${trouble} limit=${600} /></p>`
          : html`<p class="hint clamp"><${Words} text=${reason || kindsLine(kinds)} limit=${300} /></p>`
      }
    </td>
    <td class="subscription-capture"><${CaptureView} subscription=${subscription} />
      <span class="subscription-left-here"><${TimeLeftView} subscription=${subscription} /></span></td>
    <td class="subscription-left">${!enabled && expired ? expired : html`<${TimeLeftView} subscription=${subscription} />`}</td>
    <td class="subscription-last">${lastEvent && html`<a class="plain-link reach" href=${events}><${Time} at=${lastEvent} as="relative" /></a>`}</td>
    ${!isOpen() && html`<td class="subscription-owner dim-text"><${Words} text=${owner} limit=${64} /></td>`}
    <td class="subscription-more">
      ${trouble && html`<button type="button" class="button small subscription-try" onClick=${onTry}>Try now</button>`}
      <${Menu} label=${`More for ${name}`} button=${html`<${Glyph} name="more" />`} buttonClass="button quiet icon small" items=${items} />
    </td>
  </tr>`
}

/** The preset ranges of the events view. */
const RANGES = [1, 3, 7, 30]
const LONGEST = 3650

/** The events of a subscription, over a range that includes its last one. */
function eventsLink({ id, last_event_at }: Pick<Subscription, 'id' | 'last_event_at'>, now: number): string {
  const days = last_event_at === null ? 1 : daysSince(toMs(last_event_at), now)
  return href('/', new URLSearchParams({ subscription_id: id, days: String(days) }))
}

function daysSince(ms: number, now: number): number {
  // Includes a margin, because the link is followed some time later.
  const days = Math.floor((now + HOUR - ms) / DAY) + 1
  return RANGES.find(range => range >= days) ?? Math.min(days, LONGEST)
}

const SIGNS: Readonly<Record<CaptureState, { glyph?: GlyphName; colour?: string }>> = {
  hot: { glyph: 'flame', colour: 'is-warn' },
  cold: { glyph: 'flake', colour: 'dim-text' },
  failing: { glyph: 'warning', colour: 'is-danger' },
  late: { glyph: 'warning', colour: 'is-warn' },
  unreadable: { glyph: 'warning', colour: 'is-warn' },
  off: { colour: 'quiet-text' },
  over: { colour: 'quiet-text' },
  steady: {},
  delivered: {},
}

function CaptureView({ subscription }: { subscription: Subscription }) {
  const isPlatform = platforms.value.value?.some(({ source }) => source === subscription.source) ?? true
  const { state, words, more } = captureWords(subscription, { now: now.value, isPlatform })
  const { glyph, colour } = SIGNS[state]
  return html`<span class=${classes('capture', colour)} title=${more}>
    ${glyph && html`<${Glyph} name=${glyph} />`}<span>${words}</span>
  </span>`
}

/** Remaining time, in words and as a bar. Renders nothing without an end. */
function TimeLeftView({ subscription }: { subscription: Subscription }) {
  const left = timeLeft(subscription, now.value)
  if (!left || !subscription.enabled) return null
  return html`<span class="time-left">${left.words}<progress class="bar" max="1" value=${left.part} aria-hidden="true"></progress></span>`
}
