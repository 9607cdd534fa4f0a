import { useEffect } from 'preact/hooks'
import type { Consumer } from '#model/consumers/consumer'
import { count, counted } from '#model/counted'
import { queryState } from '../../shared/address.js'
import { Unloaded } from '../../shared/controls/note.js'
import { classes, html } from '../../shared/html.js'
import { text } from '../../shared/query-state.js'
import { isAdmin, isOpen } from '../../shared/server/session.js'
import { ViewTitle } from '../../shared/shell.js'
import { Words } from '../../shared/words/text-view.js'
import { Time } from '../../shared/words/time-view.js'
import { consumers, EVERY_MS, filterWords, LagView } from '../consumers/consumer-list.js'
import { ConsumerPanel } from '../consumers/consumer-panel.js'
import { keepFresh } from '../overview.js'
import { loadOwners, ownerName } from '../subscriptions/subscription-changes.js'

/** `consumer`: name of the open consumer. */
const state = queryState<{ consumer: string }>({ consumer: text })

export function ConsumersView() {
  const all = consumers.value.value
  const { consumer: openName } = state.value.value
  const isAdminHere = isAdmin()
  useEffect(() => keepFresh(consumers, EVERY_MS), [])
  useEffect(() => void loadOwners(), [isAdminHere])
  const opened = all?.find(({ name }) => name === openName)
  return html`<div class="view-main fill table-view">
    <div class="view-head row wrap"><${ViewTitle} title="Consumers" /><span class="quiet-text">${all && counted(all.length, 'consumer')}</span></div>
    <${Content} all=${all} openName=${openName} />
  </div>
  ${opened && html`<${ConsumerPanel} key=${openName} consumer=${opened} onClose=${() => state.set({ consumer: '' })} />`}`
}

function Content({ all, openName }: { all: readonly Consumer[] | undefined; openName: string }) {
  if (all === undefined) return html`<${Unloaded} of=${consumers} name="consumers" />`
  if (all.length === 0) {
    return html`<section class="view-scroll nothing-yet" aria-labelledby="no-consumers"><h2 id="no-consumers">No consumers yet.</h2>
      <p>A consumer is a program that receives every event that its filters select. The ledger stores how far it has read. Start one on any machine:</p>
      <pre class="wrap" tabindex="0" role="group" aria-label="Command"><code>daybook consume builds --kind 'build.*' --exec ./work.sh</code></pre></section>`
  }
  return html`<div class="table-scroll named"><table class="table">
    <thead><tr><th>Name</th><th>Behind</th><th class="if-wide">Acknowledged</th><th>Dead letters</th>${!isOpen() && html`<th class="if-wide">Owner</th>`}</tr></thead>
    <tbody>${all.map(consumer => html`<${ConsumerRow} key=${consumer.name} consumer=${consumer} isSelected=${consumer.name === openName} />`)}</tbody>
  </table></div>`
}

function ConsumerRow({ consumer, isSelected }: { consumer: Consumer; isSelected: boolean }) {
  const { name, acknowledged_at: acknowledged, dead_letters: letters, last_error: error } = consumer
  const trouble = consumer.epoch_changed ? 'Waits for a position: the ledger was restored.' : error
  return html`<tr class=${classes('opens', isSelected && 'is-selected')} onClick=${() => state.set({ consumer: name })}>
    <td><button type="button" class="row-name touch"><span class="anywhere">${name}</span></button>
      <p class="hint clamp"><${Words} text=${filterWords(consumer)} limit=${300} /></p>
      ${trouble && html`<p class="field-problem anywhere"><${Words} text=${trouble} limit=${300} /></p>`}</td>
    <td><${LagView} consumer=${consumer} /></td>
    <td class="if-wide">${acknowledged ? html`<${Time} at=${acknowledged} as="relative" />` : 'never'}</td>
    <td>${letters > 0 ? html`<span class="tag warn">${count(letters)}</span>` : '0'}</td>
    ${!isOpen() && html`<td class="if-wide"><${Words} text=${ownerName(consumer)} limit=${64} /></td>`}
  </tr>`
}
