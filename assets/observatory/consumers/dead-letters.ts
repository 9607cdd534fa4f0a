import { useEffect, useMemo } from 'preact/hooks'
import type { Consumer, DeadLetter } from '#model/consumers/consumer'
import type { List } from '#model/ledger-answers'
import { LoadProblem } from '../../shared/controls/note.js'
import { showToast } from '../../shared/controls/toast.js'
import { html } from '../../shared/html.js'
import { api, createResource, reasonOf } from '../../shared/server/api.js'
import { count, counted } from '../../shared/words/text.js'
import { Words } from '../../shared/words/text-view.js'
import { Time } from '../../shared/words/time-view.js'
import { AskButton } from './ask-button.js'
import { consumerPath, consumers } from './consumer-list.js'

/** The oldest ones; the others follow when these are done. */
const SHOWN = 50

/** The events that a consumer gave up, each with its error. Their number is the consumer's, so a change of it loads them. */
export function DeadLetters({ consumer }: { consumer: Consumer }) {
  const { dead_letters: amount } = consumer
  const path = `${consumerPath(consumer)}/dead-letters`
  const letters = useMemo(
    () => createResource(signal => api<List<DeadLetter>>(`${path}?limit=${SHOWN}`, { signal })),
    [path],
  )
  useEffect(() => void letters.load(), [letters, amount])
  const changed = async () => {
    await Promise.all([letters.load(), consumers.load()])
  }
  const retry = (part: string) => async () => {
    await api(`${path}${part}/retry`, { method: 'POST' })
    await changed()
  }
  const remove = (part: string) => async () => {
    await api(`${path}${part}`, { method: 'DELETE' })
    await changed()
  }
  const retryOne = ({ id }: DeadLetter) => {
    retry(`/${id}`)().catch(problem => showToast({ words: `It does not come again. ${reasonOf(problem)}` }))
  }
  const { items = [] } = letters.value.value ?? {}
  return html`<section class="panel-section" aria-labelledby="dead-letters">
    <h3 id="dead-letters">Dead letters <span class="hint">${count(amount)}</span></h3>
    <${LoadProblem} of=${letters} what="They could not be loaded." />
    ${amount === 0 && html`<p class="quiet-text">No event was given up.</p>`}
    ${
      amount > 0 &&
      html`<div class="seek">
        <${AskButton} label="Retry all…" answer=${`Retry ${count(amount)}`} question="Each comes again, before new events." run=${retry('')} />
        <${AskButton} label="Delete all…" isDanger answer=${`Delete ${count(amount)}`} question="They do not come again. The events stay." run=${remove('')} />
      </div>`
    }
    <ul class="letters">${items.map(
      letter => html`<li key=${letter.id} class="letter">
        <p class="code"><${Words} text=${letter.dedupe_key} limit=${300} /></p>
        <p class="hint">${counted(letter.attempts, 'attempt')}, <${Time} at=${letter.failed_at} as="relative" /></p>
        <${ErrorText} text=${letter.error} />
        ${
          letter.retrying
            ? html`<p class="hint">It comes again.</p>`
            : html`<div class="seek"><button type="button" class="button small" aria-label=${`Retry ${letter.dedupe_key}`} onClick=${() => retryOne(letter)}>Retry</button>
              <${AskButton} label="Delete…" isDanger answer="Delete" question="It does not come again. The event stays." run=${remove(`/${letter.id}`)} /></div>`
        }
      </li>`,
    )}</ul>
    ${amount > items.length && items.length === SHOWN && html`<p class="hint">The oldest ${SHOWN} of ${count(amount)} are shown.</p>`}
  </section>`
}

export function ErrorText({ text }: { text: string }) {
  return html`<pre class="wrap error-text" tabindex="0" role="group" aria-label="Error"><${Words} text=${text} /></pre>`
}
