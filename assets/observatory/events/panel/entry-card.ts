import { counted } from '#model/counted'
import type { StoredEvent, TargetNode } from '#model/events/event'
import { outcomeGroupOf } from '#model/sentences/event-outcome'
import { sentenceText } from '#model/sentences/event-sentence'
import { href } from '../../../shared/address.js'
import { OutcomeMark, sourceStyle, VerifiedMark, verifiedWords } from '../../../shared/controls/glyph.js'
import { classes, html } from '../../../shared/html.js'
import { now } from '../../../shared/words/now.js'
import { capital, initials } from '../../../shared/words/text.js'
import { Words } from '../../../shared/words/text-view.js'
import {
  clockTime,
  dateWords,
  dayHeading,
  dayOf,
  duration,
  exactTime,
  localOffset,
  offsetWords,
  relativeTime,
  toMs,
} from '../../../shared/words/time.js'
import { overview } from '../../overview.js'
import { actorName, chainOf, eventText, isProgram, placeWords, roleOf } from '../event-words.js'
import { ValueMenu } from '../filters/value-menu.js'

const SHORT = 300

export interface EntryProps {
  event: StoredEvent
  terms: readonly string[]
}

export function EntryCard({ event, terms }: EntryProps) {
  const role = roleOf(event)
  const address = addressOf(event)
  const words = eventText(event)
  const at = event.captured_at
  const outcome = outcomeGroupOf(event)
  const who = event.actor.display || event.actor.id
  const name = html`<strong><${Words} text=${actorName(event)} terms=${terms} limit=${SHORT} /></strong>`
  return html`<section class="entry-card" aria-label="What was said">
    <div class="entry-person">
      <${Avatar} event=${event} />
      <div class="grow">
        <p class="entry-who">
          ${who ? html`<${ValueMenu} value=${{ name: 'actor', value: who, words: who }}>${name}<//>` : name}
          ${role && html` <span class=${isProgram(event) ? 'tag' : 'quiet-text'}><${Words} text=${role} limit=${SHORT} /></span>`}
          ${address && html`<span class="quiet-text"> · <${Words} text=${address} terms=${terms} limit=${SHORT} /></span>`}
        </p>
        <p class="entry-when">
          <time datetime=${at} title=${exactTime(at)}>${dayHeading(dayOf(at), now.value)}, <strong>${clockTime(at)}</strong></time>
          <span class="quiet-text"> · ${relativeTime(at, now.value)}</span>
        </p>
      </div>
    </div>
    <div class=${`entry-words source-${sourceStyle(event.source)}`}>
      <p class="entry-act">
        ${outcome && html`<${ValueMenu} value=${{ name: 'outcome', value: outcome, words: capital(outcome) }}><${OutcomeMark} outcome=${outcome} /><//> `}
        <${Words} text=${sentenceText(event)} terms=${terms} />
      </p>
      ${words.trim() !== '' && html`<div class="entry-text"><${Words} text=${words} terms=${terms} mayShowAll /></div>`}
    </div>
  </section>`
}

/** Initials as an avatar; bots are square. */
export function Avatar({ event }: { event: StoredEvent }) {
  return html`<span class=${classes('avatar', isProgram(event) && 'is-program')} aria-hidden="true">${initials(actorName(event))}</span>`
}

/** Another identification of the person: email or user name. */
function addressOf({ actor }: StoredEvent): string {
  const { email, username } = actor.metadata ?? {}
  const found = [email, username].find(known => typeof known === 'string' && known !== '' && known !== actor.display)
  return typeof found === 'string' ? found : ''
}

/** The whole target chain, outermost first. Nodes with a key are filters. */
export function EntryAbout({ event, terms }: EntryProps) {
  const chain = chainOf(event).filter(({ type, key, display }) => type || key || display)
  if (chain.length === 0) return null
  return html`<section class="panel-section" aria-label="About">
    <h3>About</h3>
    <dl class="facts entry-about">
      ${chain.map((node, at) => html`<${Step} node=${node} terms=${terms} isLast=${at === chain.length - 1} />`)}
    </dl>
  </section>`
}

interface StepProps {
  node: TargetNode
  terms: readonly string[]
  isLast: boolean
}

function Step({ node, terms, isLast }: StepProps) {
  const { type, key, display } = node
  const id = type && key?.startsWith(`${type}:`) ? key.slice(type.length + 1) : key
  const name = html`<${Words} text=${display || id || '(no name)'} terms=${terms} limit=${SHORT} />`
  return html`<div class=${classes(isLast && 'is-last')}>
    <dt><${Words} text=${(type || 'target').replaceAll('_', ' ')} limit=${SHORT} /></dt>
    <dd class="entry-name">${key ? html`<${ValueMenu} value=${{ name: 'target', value: key, words: placeWords(node, display || key) }}>${name}<//>` : name}</dd>
    <dd class="entry-key code">${key && html`<${Words} text=${key} terms=${terms} limit=${SHORT} />`}</dd>
  </div>`
}

export function EntryErased({ event: { erased } }: { event: StoredEvent }) {
  if (!erased) return null
  const { at, by, reason } = erased
  return html`<section class="panel-section" aria-label="Erased">
    <h3>Erased</h3>
    <p>The content of this event was erased. Its key, kind, times and counts stay.</p>
    <dl class="facts">
      <div><dt>Reason</dt><dd><${Words} text=${reason} limit=${SHORT * 2} /></dd></div>
      <div><dt>By</dt><dd><${Words} text=${by} limit=${SHORT} /></dd></div>
      <div><dt>On</dt><dd>${dateWords(at, now.value)} <time class="code" datetime=${at} title=${exactTime(at)}>${clockTime(at)}</time></dd></div>
    </dl>
  </section>`
}

const ROUTES: Readonly<Record<StoredEvent['provenance']['route'], string>> = {
  api: 'API',
  webhook: 'webhook',
  capture: 'capture',
  import: 'import',
  ledger: 'the ledger itself',
}
/** Differences between clocks up to this are ignored. */
const SAME_MS = 2_000

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
      <div><dt>Verified</dt><dd class=${classes('entry-verified', verified !== 'none' && 'is-verified')}>
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
