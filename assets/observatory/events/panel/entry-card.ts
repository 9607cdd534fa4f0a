import type { StoredEvent, TargetNode } from '#model/events/event'
import { outcomeGroupOf } from '#model/sentences/event-outcome'
import { sentenceText } from '#model/sentences/event-sentence'
import { OutcomeMark, sourceStyle } from '../../../shared/controls/glyph.js'
import { classes, html } from '../../../shared/html.js'
import { now } from '../../../shared/words/now.js'
import { capital, initials } from '../../../shared/words/text.js'
import { Words } from '../../../shared/words/text-view.js'
import { clockTime, dateWords, dayHeading, dayOf, exactTime, relativeTime } from '../../../shared/words/time.js'
import { actorName, chainOf, isProgram, placeWords, roleOf, wordsSaid } from '../event-words.js'
import { ValueMenu } from '../filters/value-menu.js'

/** Longer names are truncated. */
const SHORT = 300

export interface EntryProps {
  event: StoredEvent
  /** Search terms. */
  terms: readonly string[]
}

/** Actor, time and text. */
export function EntryCard({ event, terms }: EntryProps) {
  const role = roleOf(event)
  const address = addressOf(event)
  const words = wordsSaid(event)
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

/** Who erased the content of an event, when and why. */
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
