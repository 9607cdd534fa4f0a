import { useEffect } from 'preact/hooks'
import type { ListedUser } from '#model/accounts/user'
import { counted } from '#model/counted'
import { queryState } from '../../shared/address.js'
import { CopyButton } from '../../shared/controls/copy.js'
import { Glyph } from '../../shared/controls/glyph.js'
import { LoadProblem, Unloaded } from '../../shared/controls/note.js'
import { html } from '../../shared/html.js'
import { useKeys } from '../../shared/keys/keys.js'
import { isPhone } from '../../shared/media.js'
import { flag, text } from '../../shared/query-state.js'
import { isDemo } from '../../shared/server/root-path.js'
import { isAdmin, isOpen, session, sessionLoad } from '../../shared/server/session.js'
import { usePhoneActions, ViewTitle } from '../../shared/shell.js'
import { quoted } from '../events/event-commands.js'
import { keepFresh, overview } from '../overview.js'
import { NewPerson } from '../people/new-person.js'
import { people } from '../people/people-list.js'
import { PeopleTable } from '../people/people-table.js'
import { PersonPanel } from '../people/person-panel.js'

/** `person`: id of the open person. */
const state = queryState<{ person: string; new: boolean }>({ person: text, new: flag })

/** People who may log in, for admins. While the ledger is open: how to close it. */
export function PeopleView() {
  if (isAdmin()) return html`<${PeopleForAdmins} />`
  return html`<div class="view-main fill table-view">
    <div class="view-head row wrap"><${ViewTitle} title="People" /></div>
    ${!session.value ? html`<${Unloaded} of=${sessionLoad} name="people" />` : isOpen() ? html`<${FirstAdmin} />` : html`<div class="view-scroll nothing-yet"><p>Only admins can manage users.</p></div>`}
  </div>`
}

function open({ id }: ListedUser): void {
  state.set({ person: id, new: false })
}

function PeopleForAdmins() {
  const all = people.value.value
  const { person: openId, new: isNew } = state.value.value
  useEffect(() => keepFresh(people), [])
  const add = () => state.set({ person: '', new: true })
  const close = () => state.set({ person: '', new: false })
  useKeys('People', [{ keys: 'n', does: 'new', run: add }])
  usePhoneActions(
    () =>
      html`<button type="button" class="button primary icon" aria-label="New person" onClick=${add}><${Glyph} name="plus" /></button>`,
  )
  const opened = openId === '' ? undefined : all?.find(({ id }) => id === openId)
  const admins = all?.filter(({ role }) => role === 'admin').length ?? 0
  return html`<div class="view-main fill table-view">
    <div class="view-head row wrap">
      <${ViewTitle} title="People" /><span class="quiet-text">${all && `${counted(all.length, 'account')}, ${counted(admins, 'admin')}`}</span>
      ${!isPhone.value && html`<span class="push"><button type="button" class="button primary" onClick=${add}><${Glyph} name="plus" />New person</button></span>`}
    </div>
    <${Content} />
  </div>
  ${isNew && html`<${NewPerson} onClose=${close} onCreated=${open} />`}
  ${opened && html`<${PersonPanel} key=${opened.id} person=${opened} onClose=${close} />`}`
}

function Content() {
  const all = people.value.value
  if (all?.length === 0) {
    return html`<div class="view-scroll nothing-yet"><h2>No accounts yet.</h2><p>You used the admin token. Logging in and issuing tokens require an account.</p></div>`
  }
  if (all) {
    return html`<div class="view-pad"><${LoadProblem} of=${people} what="This list may be outdated." /></div>
      <${PeopleTable} people=${all} selectedId=${state.value.value.person} onOpen=${open} />`
  }
  return html`<${Unloaded} of=${people} name="people" />`
}

/** Shown instead of people while the ledger is open: how to create the first admin. */
function FirstAdmin() {
  const { health } = overview.value.value ?? {}
  const database = health ? ` --db ${quoted(health.database)}` : ''
  const command = `daybook users create ada --role admin${database}`
  return html`<section class="view-scroll nothing-yet" aria-labelledby="open-mode">
    <h2 id="open-mode">This ledger is open.</h2>
    <p>No login is set up: every local user may read all events and change all subscriptions. The server therefore accepts
      local connections only. Once a user exists, it permanently requires a login.</p>
    ${
      isDemo
        ? html`<p>This is a demo with a temporary ledger. It needs no accounts.</p>`
        : html`<p>Create the first admin on the server; it can keep running. The command asks for a password.</p>
          <pre class="wrap" tabindex="0" role="group" aria-label="Command that creates the first admin"><code>${command}</code></pre>
          <div class="buttons"><${CopyButton} text=${() => command} label="Copy the command" />
            <button type="button" class="button" onClick=${() => location.reload()}>Done, reload</button></div>
          <p class="hint">Without a shell on the server, as in a container, set <code>EVENT_BOOTSTRAP_USERNAME</code> and${' '}
            <code>EVENT_BOOTSTRAP_PASSWORD_FILE</code>: the server then creates the admin when it starts.</p>`
    }
  </section>`
}
