import { useEffect } from 'preact/hooks'
import { count, counted } from '#model/counted'
import { queryState } from '../../shared/address.js'
import { CopyButton } from '../../shared/controls/copy.js'
import { Glyph } from '../../shared/controls/glyph.js'
import { LoadProblem, Unloaded } from '../../shared/controls/note.js'
import { classes, html } from '../../shared/html.js'
import { useKeys } from '../../shared/keys/keys.js'
import { isPhone } from '../../shared/media.js'
import { flag, text } from '../../shared/query-state.js'
import { isAdmin, session, sessionLoad } from '../../shared/server/session.js'
import { usePhoneActions, ViewTitle } from '../../shared/shell.js'
import { Words } from '../../shared/words/text-view.js'
import { Time } from '../../shared/words/time-view.js'
import { keepFresh, overview } from '../overview.js'
import {
  addressOf,
  closedWords,
  type ListedSource,
  proofWords,
  sources,
  type WholeSource,
  worksWithoutSecret,
} from '../sources/source-list.js'
import { SourceForm, SourcePanel } from '../sources/source-panel.js'

const CLOSED = { source: '', edit: false, new: false }

/** `source`: name of the open source. */
const state = queryState<typeof CLOSED>({ source: text, edit: flag, new: flag })

/** The sources that operators have defined; admins define them here. */
export function SourcesView() {
  const all = sources.value.value
  const isAdminHere = isAdmin()
  const { source: openName, edit, new: isNew } = state.value.value
  useEffect(() => (session.value ? keepFresh(sources) : undefined), [session.value === undefined])
  const add = () => state.set({ ...CLOSED, new: isAdmin() })
  const open = (source: string, edit = false) => state.set({ ...CLOSED, source, edit })
  useKeys('Sources', [{ keys: 'n', does: 'new', run: add }])
  const button = html`<button type="button" class="button primary" onClick=${add}><${Glyph} name="plus" />New source</button>`
  usePhoneActions(() => isAdminHere && button, [isAdminHere])
  // For admins, the list has sources with their definitions.
  const whole = isAdminHere ? (all as readonly WholeSource[] | undefined) : []
  const opened = whole?.find(({ definition }) => definition.name === openName)
  const props = { source: opened, onOpen: open, onClose: () => (edit ? open(openName) : open('')) }
  return html`<div class="view-main fill table-view">
    <div class="view-head row wrap"><${ViewTitle} title="Sources" /><span class="quiet-text">${all && counted(all.length, 'source')}</span>
      ${!isPhone.value && isAdminHere && html`<span class="push">${button}</span>`}</div>
    ${all ? html`<${LoadProblem} of=${sources} what="This list may be outdated." /><${Rows} all=${all} openName=${openName} />` : html`<${Unloaded} of=${session.value ? sources : sessionLoad} name="sources" />`}
  </div>
  ${((isNew && isAdminHere) || (opened && edit)) && html`<${SourceForm} key=${`${openName} form`} ...${props} />`}
  ${opened && !edit && html`<${SourcePanel} key=${openName} ...${props} />`}`
}

function Rows({ all, openName }: { all: readonly ListedSource[]; openName: string }) {
  const events = overview.value.value?.stats.by_source ?? {}
  const isAdminHere = isAdmin()
  if (all.length === 0) {
    return html`<section class="view-scroll nothing-yet" aria-labelledby="no-sources"><h2 id="no-sources">No source is defined yet.</h2>
      <p>Any service that sends webhooks can be a source: you define how deliveries are verified and mapped to events. An RSS or Atom feed can be a source too. ${!isAdminHere && html`Only admins can define one. On the server, use <code>daybook sources add</code>.`}</p></section>`
  }
  return html`<div class="table-scroll named"><table class="table">
    <thead><tr><th>Name</th>${isAdminHere && html`<th class="if-wide">Proof</th>`}<th>Secret</th><th class="number">Events</th><th class="if-wide">Newest event</th><th class="if-wide">Address</th></tr></thead>
    <tbody>${all.map(source => {
      const { webhook_path: path, secret_count: secrets, isFeed } = source
      const { name, description: about, proof } = source.definition
      const { events: amount = 0, latest_captured_at: newest } = events[name] ?? {}
      return html`<tr key=${name} class=${classes(proof && 'opens', name === openName && 'is-selected')} onClick=${() => proof && state.set({ ...CLOSED, source: name })}>
        <td>${proof ? html`<button type="button" class="row-name touch"><span class="anywhere">${name}</span></button>` : html`<strong class="anywhere">${name}</strong>`}
          ${about && about !== name && html`<p class="hint clamp"><${Words} text=${about} limit=${200} /></p>`}
          ${closedWords(source) && html`<p class="field-problem anywhere">${closedWords(source)}</p>`}</td>
        ${proof && html`<td class="if-wide"><${Words} text=${proofWords(proof)} limit=${200} /></td>`}
        <td>${secrets > 0 ? 'stored' : (proof ? worksWithoutSecret(proof) : isFeed) ? 'not needed' : 'none'}</td>
        <td class="number">${count(amount)}</td>
        <td class="if-wide">${newest ? html`<${Time} at=${newest} as="relative" />` : 'never'}</td>
        <td class="if-wide" onClick=${(event: Event) => event.stopPropagation()}>${isFeed ? 'read by the server' : html`<span class="row"><code class="anywhere">${path}</code><${CopyButton} text=${() => addressOf(source)} label=${`Copy the address of ${name}`} class="quiet small" isBare /></span>`}</td>
      </tr>`
    })}</tbody></table></div>`
}
