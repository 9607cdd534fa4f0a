import type { Subscription } from '#model/subscriptions/subscription'
import { Glyph, SourceGlyph } from '../../shared/controls/glyph.js'
import { Menu, type MenuItem } from '../../shared/controls/menu.js'
import { Switch } from '../../shared/controls/switch.js'
import { classes, html } from '../../shared/html.js'
import { href } from '../../shared/server/address.js'
import { now } from '../../shared/words/now.js'
import { Words } from '../../shared/words/text-view.js'
import { Time } from '../../shared/words/time-view.js'
import { sourceLabel } from '../sources.js'
import { CaptureView, TimeLeftView } from './capture-view.js'
import { expiredWords, troubleWords } from './capture-words.js'
import { eventsLink } from './events-link.js'
import { kindsLine } from './form/kind-titles.js'
import { deleteSubscription, switchSubscription, whyNotMine } from './subscription-changes.js'
import { nameOf, TargetView } from './target-view.js'
import { isFailing } from './watch-times.js'

export interface SubscriptionRowProps {
  subscription: Subscription
  /** Owner's name, if known. */
  owner: string
  isSelected: boolean
  onEdit: () => void
  onTry: () => void
}

/** One subscription: its switch, what it watches, its state. */
export function SubscriptionRow({ subscription, owner, isSelected, onEdit, onTry }: SubscriptionRowProps) {
  const { id, source, event_kinds: kinds, metadata, enabled, last_event_at: lastEvent } = subscription
  const name = nameOf(subscription)
  const whyOff = whyNotMine(subscription)
  const trouble = troubleWords(subscription, now.value)
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
      <a class="subscription-name reach" href=${events} title="Its events">
        <${SourceGlyph} source=${source} name=${sourceLabel(source)} /><${TargetView} subscription=${subscription} />
      </a>
      ${
        trouble
          ? html`<p class="subscription-trouble"><${Words} text=${trouble} limit=${600} /></p>`
          : html`<p class="subscription-about"><${Words} text=${reason || kindsLine(kinds)} limit=${300} /></p>`
      }
    </td>
    <td class="subscription-capture"><${CaptureView} subscription=${subscription} />
      <span class="subscription-left-here"><${TimeLeftView} subscription=${subscription} /></span></td>
    <td class="subscription-left">${!enabled && expired ? expired : html`<${TimeLeftView} subscription=${subscription} />`}</td>
    <td class="subscription-last">${lastEvent && html`<a class="plain-link reach" href=${events}><${Time} at=${lastEvent} as="relative" /></a>`}</td>
    <td class="subscription-owner"><${Words} text=${owner} limit=${64} /></td>
    <td class="subscription-more">
      ${trouble && html`<button type="button" class="button small subscription-try" onClick=${onTry}>Try now</button>`}
      <${Menu} label=${`More for ${name}`} button=${html`<${Glyph} name="more" />`} buttonClass="button quiet icon small" items=${items} />
    </td>
  </tr>`
}
