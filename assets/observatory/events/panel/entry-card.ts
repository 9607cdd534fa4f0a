import type { StoredEvent } from '#model/events/event'
import { outcomeGroupOf } from '#model/sentences/event-outcome'
import { sentenceText } from '#model/sentences/event-sentence'
import { sourceStyle } from '../../../shared/controls/glyph.js'
import { OutcomeMark, outcomeWord } from '../../../shared/controls/outcome-mark.js'
import { classes, html } from '../../../shared/html.js'
import { now } from '../../../shared/words/now.js'
import { initials } from '../../../shared/words/text.js'
import { Words } from '../../../shared/words/text-view.js'
import { clockTime, dayHeading, dayOf, exactTime, relativeTime } from '../../../shared/words/time.js'
import { actorName, isProgram, roleOf, wordsSaid } from '../event-words.js'
import { ValueMenu } from '../filters/value-menu.js'

const SHORT = 200

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
      <div>
        <p class="entry-who">
          ${who ? html`<${ValueMenu} value=${{ name: 'actor', value: who, words: who }}>${name}<//>` : name}
          ${role && html` <span class=${classes('entry-role', isProgram(event) && 'tag')}><${Words} text=${role} limit=${SHORT} /></span>`}
          ${address && html`<span class="entry-address"> · <${Words} text=${address} terms=${terms} limit=${SHORT} /></span>`}
        </p>
        <p class="entry-when">
          <time datetime=${at} title=${exactTime(at)}>${dayHeading(dayOf(at), now.value)}, <strong>${clockTime(at)}</strong></time>
          <span class="quiet-text"> · ${relativeTime(at, now.value)}</span>
        </p>
      </div>
    </div>
    <div class=${`entry-words source-${sourceStyle(event.source)}`}>
      <p class="entry-act">
        ${outcome && html`<${ValueMenu} value=${{ name: 'outcome', value: outcome, words: outcomeWord(outcome) }}><${OutcomeMark} outcome=${outcome} /><//> `}
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
