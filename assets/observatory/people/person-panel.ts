import type { ListedUser, Role } from '#model/accounts/user'
import { AskButton } from '../../shared/controls/ask-button.js'
import { Panel } from '../../shared/controls/dialog.js'
import { ProblemNote } from '../../shared/controls/note.js'
import { showToast } from '../../shared/controls/toast.js'
import { html } from '../../shared/html.js'
import { segment, useSending } from '../../shared/server/api.js'
import { sessionLoad } from '../../shared/server/session.js'
import { initials } from '../../shared/words/text.js'
import { Time } from '../../shared/words/time-view.js'
import { SessionList, TokenList } from './credentials.js'
import { PasswordForm, ROLE_WORDS, RoleField } from './password-field.js'
import { changePerson, deletePerson, isOwn, noteTokenCount, whyLastAdmin, whyNotDeleted } from './people-list.js'
import { PersonSwitch } from './people-table.js'

export function PersonPanel({ person, onClose }: { person: ListedUser; onClose: () => void }) {
  const { id, username, role, created_at: since } = person
  const { problem, send } = useSending()
  const whyLast = whyLastAdmin(person)
  const path = `/api/users/${segment(id)}`
  const whyNot = whyNotDeleted(person)
  const remove = async () => {
    onClose()
    deletePerson(person)
  }
  const changeRole = (role: Role) =>
    send(async () => {
      await changePerson(person, { role })
      if (isOwn(person)) await sessionLoad.load()
    })
  return html`<${Panel} label=${`Account ${username}`} size="person" onClose=${onClose}
    head=${html`<span class="avatar" aria-hidden="true">${initials(username)}</span><h2 class="ellipsis">${username}</h2><span class="tag">${role}</span>`}
    foot=${whyNot ? html`<button type="button" class="button danger small" disabled>Delete account…</button><span class="hint form-owner">${whyNot}</span>` : html`<${AskButton} label="Delete account…" isDanger answer=${`Delete ${username}`} question="Its tokens and sessions end; events and subscriptions stay." run=${remove} />`}>
    <section class="panel-section tokens-section" aria-label="Tokens"><${TokenList} path=${path} owner=${username}
      onCounted=${(count: number) => noteTokenCount(id, count)} /></section>
    <section class="panel-section" aria-label="Sessions"><${SessionList} path=${path} /></section>
    <section class="panel-section" aria-label="Account">
      <h3>Account</h3>
      ${problem !== undefined && html`<${ProblemNote} what="The role was not changed." problem=${problem} />`}
      <dl class="facts person-facts">
        <div><dt>Role</dt>
        <dd>${
          whyLast
            ? html`<span class="tag accent">admin</span><p class="field-hint">${whyLast}</p>`
            : html`<${RoleField} isLegendHidden value=${role} onChange=${changeRole} />
              <p class="field-hint">${isOwn(person) && role === 'admin' ? 'As a member you can no longer open this page.' : ROLE_WORDS[role]}</p>`
        }</dd></div>
        <div><dt>Can log in</dt>
        <dd><${PersonSwitch} person=${person} isBare=${false} />
          <p class="field-hint">${isOwn(person) ? 'This is your account; only another admin can change this.' : (whyLast ?? 'If off, this account is logged out and its tokens are refused. Its events and subscriptions stay.')}</p></dd></div>
        <div><dt>Password</dt>
        <dd><${NewPassword} person=${person} /></dd></div>
        <div><dt>Since</dt>
        <dd><${Time} at=${since} as="date" /></dd></div>
      </dl>
    </section>
  <//>`
}

function NewPassword({ person }: { person: ListedUser }) {
  const change = async ({ password }: { password: string }) => {
    await changePerson(person, { password })
    showToast({ words: html`<strong>${person.username}</strong> has a new password and was logged out everywhere.` })
  }
  return html`<${PasswordForm} label="Set a new password…" answer="Set password" change=${change}
    hint=${`Ends ${isOwn(person) ? 'your' : 'its'} sessions; tokens stay valid.`} />`
}
