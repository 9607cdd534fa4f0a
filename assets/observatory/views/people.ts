import { useEffect } from 'preact/hooks'
import type { ListedUser } from '#model/accounts/user'
import { Glyph } from '../../shared/controls/glyph.js'
import { LoadProblem } from '../../shared/controls/note.js'
import { html } from '../../shared/html.js'
import { useKeys } from '../../shared/keys/keys.js'
import { isPhone } from '../../shared/media.js'
import { flag, text } from '../../shared/query-state.js'
import { queryState } from '../../shared/server/address.js'
import { useSlow } from '../../shared/server/api.js'
import { outage } from '../../shared/server/connection.js'
import { isAdmin, isOpen, session } from '../../shared/server/session.js'
import { usePhoneActions, ViewTitle } from '../../shared/shell.js'
import { counted } from '../../shared/words/text.js'
import { FirstAdmin } from '../people/first-admin.js'
import { NewPerson } from '../people/new-person.js'
import { people } from '../people/people-list.js'
import { PeopleTable } from '../people/people-table.js'
import { PersonPanel } from '../people/person-panel.js'

/** `person`: id of the open one. */
const state = queryState<{ person: string; new: boolean }>({ person: text, new: flag })

/** People who may log in, for admins. While the ledger is open: how to close it. */
export function PeopleView() {
  const isSlow = useSlow(session.value === undefined)
  if (!session.value) {
    return html`<div class="view-main fill people-view"><div class="view-head row wrap"><${ViewTitle} title="People" /></div>${isSlow && html`<${PeopleSkeleton} />`}</div>`
  }
  if (isAdmin()) return html`<${PeopleForAdmins} />`
  return html`<div class="view-main fill people-view">
    <div class="view-head row wrap"><${ViewTitle} title="People" /></div>
    ${isOpen() ? html`<${FirstAdmin} />` : html`<div class="view-scroll nothing-yet"><p>Only admins can manage users.</p></div>`}
  </div>`
}

function PeopleForAdmins() {
  const all = people.value.value
  const { person: openId, new: isNew } = state.value.value
  const isOut = outage.value !== undefined
  useEffect(() => {
    if (!isOut) void people.load()
  }, [isOut])
  const add = () => state.set({ person: '', new: true })
  const open = (id: string) => state.set({ person: id, new: false })
  const close = () => state.set({ person: '', new: false })
  useKeys('People', [{ keys: 'n', does: 'new', run: add }])
  usePhoneActions(
    () =>
      html`<button type="button" class="button primary icon" aria-label="New person" onClick=${add}><${Glyph} name="plus" /></button>`,
  )
  const opened = openId === '' ? undefined : all?.find(({ id }) => id === openId)
  const admins = all?.filter(({ role }) => role === 'admin').length ?? 0
  return html`<div class="view-main fill people-view">
    <div class="view-head row wrap">
      <${ViewTitle} title="People" />${all && html`<span class="quiet-text">${counted(all.length, 'account')}, ${counted(admins, 'admin')}</span>`}
      ${!isPhone.value && html`<span class="push"><button type="button" class="button primary" onClick=${add}><${Glyph} name="plus" />New person</button></span>`}
    </div>
    <${Content} all=${all} openId=${openId} onOpen=${({ id }: ListedUser) => open(id)} />
  </div>
  ${isNew && html`<${NewPerson} onClose=${close} onCreated=${({ id }: ListedUser) => open(id)} />`}
  ${opened && html`<${PersonPanel} key=${opened.id} person=${opened} onClose=${close} />`}`
}

interface ContentProps {
  all: readonly ListedUser[] | undefined
  openId: string
  onOpen: (person: ListedUser) => void
}

function Content({ all, openId, onOpen }: ContentProps) {
  const isSlow = useSlow(all === undefined && people.isLoading.value)
  if (all?.length === 0) {
    return html`<div class="view-scroll nothing-yet"><h2>No accounts yet.</h2><p>You used the admin token. Logging in and issuing tokens require an account.</p></div>`
  }
  if (all) {
    return html`<div class="view-pad"><${LoadProblem} of=${people} what="This list may be outdated." /></div>
      <${PeopleTable} people=${all} selectedId=${openId} onOpen=${onOpen} />`
  }
  if (isSlow) return html`<${PeopleSkeleton} />`
  return html`<div class="view-pad"><${LoadProblem} of=${people} what="The people could not be loaded." /></div>`
}

/** Static placeholder rows. */
function PeopleSkeleton() {
  return html`<div class="subscriptions-skeleton" role="status" aria-label="Loading the people">
    ${Array.from({ length: 6 }, () => html`<div class="skeleton-row"><span class="skeleton"></span><span class="skeleton"></span></div>`)}
  </div>`
}
