import { useState } from 'preact/hooks'
import type { Consumer, DeadLetter } from '#model/consumers/consumer'
import { count, counted } from '#model/counted'
import type { List } from '#model/ledger-answers'
import { href } from '../../shared/address.js'
import { AskButton } from '../../shared/controls/ask-button.js'
import { Panel } from '../../shared/controls/dialog.js'
import { LoadProblem, Note } from '../../shared/controls/note.js'
import { showToast } from '../../shared/controls/toast.js'
import { html } from '../../shared/html.js'
import { api, reasonOf, useResource } from '../../shared/server/api.js'
import { Words } from '../../shared/words/text-view.js'
import { fromLocal, fromMs } from '../../shared/words/time.js'
import { Time } from '../../shared/words/time-view.js'
import { consumerPath, consumers, filterWords, LagView } from './consumer-list.js'

/** One consumer: its progress, its failures, and the position at which it continues. */
export function ConsumerPanel({ consumer, onClose }: { consumer: Consumer; onClose: () => void }) {
  const { name, filters, acknowledged_at: acknowledged, leased_until: lease, last_error: error } = consumer
  const query = new URLSearchParams(
    Object.entries(filters).flatMap(([key, value]) => [value].flat().map(one => [key, one])),
  )
  const remove = async () => {
    await api(consumerPath(consumer), { method: 'DELETE' })
    onClose()
    showToast({ words: html`Deleted <strong>${name}</strong>. The events stay.` })
    void consumers.load()
  }
  return html`<${Panel} label=${`Consumer ${name}`} size="person" onClose=${onClose} head=${html`<h2 class="ellipsis">${name}</h2>`}
    foot=${html`<${AskButton} label="Delete…" isDanger answer=${`Delete ${name}`} run=${remove}
      question=${`Its checkpoint ${consumer.dead_letters > 0 ? `and ${counted(consumer.dead_letters, 'dead letter')} are` : 'is'} lost.`} />`}>
    <section class="panel-section" aria-label="Position">
      ${
        consumer.epoch_changed &&
        html`<${Note} kind="warn" what="The ledger was restored or replaced.">
          It reads nothing until it has a position. <q>Its checkpoint</q> may repeat events, and misses none that the ledger has.<//>`
      }
      <dl class="facts">
        <div><dt>Filters</dt><dd><a class="reach" href=${href('/', query)}><${Words} text=${filterWords(consumer)} limit=${600} /></a></dd></div>
        <div><dt>Behind</dt><dd><${LagView} consumer=${consumer} /></dd></div>
        <div><dt>Checkpoint</dt><dd><code>${consumer.checkpoint}</code></dd></div>
        <div><dt>Acknowledged</dt><dd>${acknowledged ? html`<${Time} at=${acknowledged} as="relative" />` : 'never'}</dd></div>
        <div><dt>Reads now</dt><dd>${lease ? html`an instance, until <${Time} at=${lease} />` : 'no instance'}</dd></div>
        <div><dt>Failures</dt><dd>${count(consumer.failures)}</dd></div>
      </dl>
      ${error && html`<p class="hint spaced">Last error${consumer.failed_at && html`, <${Time} at=${consumer.failed_at} as="relative" />`}</p><${ErrorText} text=${error} />`}
    </section>
    <section class="panel-section" aria-labelledby="seek"><h3 id="seek">Set position</h3><${Seek} consumer=${consumer} /></section>
    <${DeadLetters} key=${name} consumer=${consumer} />
  <//>`
}

/** Sets the position after a confirmation, because work may then be repeated or skipped. */
function Seek({ consumer }: { consumer: Consumer }) {
  const [local, setLocal] = useState('')
  const ms = Date.parse(`${local}Z`)
  const seek = (body: object) => async () => {
    consumers.set(replaced(await api<Consumer>(`${consumerPath(consumer)}/seek`, { body })))
    showToast({ words: html`<strong>${consumer.name}</strong> continues there.` })
  }
  return html`<div class="row wrap spaced">
    ${consumer.epoch_changed && html`<${AskButton} label="Its checkpoint…" answer="Continue" question="Events after it are delivered again." run=${seek({ position: 'same' })} />`}
    <${AskButton} label="The beginning…" answer="Read everything again" question="Every event is delivered again." run=${seek({ position: 'beginning' })} />
    <${AskButton} label="Now…" answer="Skip to now" question="Events that wait are skipped." run=${seek({ position: 'now' })} />
    <label class="row"><span class="field-label">A time</span>
      <input class="field end-at" type="datetime-local" value=${local} onInput=${(event: InputEvent) => setLocal((event.target as HTMLInputElement).value)} /></label>
    ${!Number.isNaN(ms) && html`<${AskButton} key=${local} label="That time…" answer="Continue there" question="Events since then are delivered again, and earlier ones are skipped." run=${seek({ from: fromMs(fromLocal(ms)) })} />`}
  </div>`
}

function replaced(changed: Consumer): Consumer[] {
  return (consumers.value.peek() ?? []).map(other => (other.name === changed.name ? changed : other))
}

/** Only the oldest dead letters; more appear as these are handled. */
const SHOWN = 50

/** The events that a consumer gave up, each with its error. Loads them again when their number changes. */
function DeadLetters({ consumer }: { consumer: Consumer }) {
  const { dead_letters: amount } = consumer
  const path = `${consumerPath(consumer)}/dead-letters`
  const letters = useResource(signal => api<List<DeadLetter>>(`${path}?limit=${SHOWN}`, { signal }), [amount])
  const act = (method: 'POST' | 'DELETE', part: string) => async () => {
    await api(`${path}${part}`, { method })
    await Promise.all([letters.load(), consumers.load()])
  }
  const retry = (part: string) => act('POST', `${part}/retry`)
  const remove = (part: string) => act('DELETE', part)
  const retryOne = ({ id }: DeadLetter) => {
    retry(`/${id}`)().catch(problem => showToast({ words: `It is not delivered again. ${reasonOf(problem)}` }))
  }
  const { items = [] } = letters.value.value ?? {}
  return html`<section class="panel-section" aria-labelledby="dead-letters">
    <h3 id="dead-letters">Dead letters <span class="hint">${count(amount)}</span></h3>
    <${LoadProblem} of=${letters} what="They could not be loaded." />
    ${amount === 0 && html`<p class="quiet-text">No dead letters.</p>`}
    ${
      amount > 0 &&
      html`<div class="row wrap spaced">
        <${AskButton} label="Retry all…" answer=${`Retry ${count(amount)}`} question="Each is delivered again, before new events." run=${retry('')} />
        <${AskButton} label="Delete all…" isDanger answer=${`Delete ${count(amount)}`} question="They are not delivered again. The events stay." run=${remove('')} />
      </div>`
    }
    <ul class="letters">${items.map(
      letter => html`<li key=${letter.id} class="letter">
        <p class="code"><${Words} text=${letter.dedupe_key} limit=${300} /></p>
        <p class="hint">${counted(letter.attempts, 'attempt')}, <${Time} at=${letter.failed_at} as="relative" /></p>
        <${ErrorText} text=${letter.error} />
        ${
          letter.retrying
            ? html`<p class="hint">It will be delivered again.</p>`
            : html`<div class="row wrap spaced"><button type="button" class="button small" aria-label=${`Retry ${letter.dedupe_key}`} onClick=${() => retryOne(letter)}>Retry</button>
              <${AskButton} label="Delete…" isDanger answer="Delete" question="It is not delivered again. The event stays." run=${remove(`/${letter.id}`)} /></div>`
        }
      </li>`,
    )}</ul>
    ${amount > items.length && items.length === SHOWN && html`<p class="hint">The oldest ${SHOWN} of ${count(amount)} are shown.</p>`}
  </section>`
}

function ErrorText({ text }: { text: string }) {
  return html`<pre class="wrap error-text" tabindex="0" role="group" aria-label="Error"><${Words} text=${text} /></pre>`
}
