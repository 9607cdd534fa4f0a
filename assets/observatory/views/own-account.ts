import { useState } from 'preact/hooks'
import type { Session } from '#model/ledger-answers'
import { Dialog } from '../../shared/controls/dialog.js'
import { ProblemNote } from '../../shared/controls/note.js'
import { showToast } from '../../shared/controls/toast.js'
import { html } from '../../shared/html.js'
import { api, rememberCsrfToken, useSending } from '../../shared/server/api.js'
import { session } from '../../shared/server/session.js'
import { SessionList, TokenList } from '../people/credentials.js'
import { PasswordField } from '../people/password-field.js'
import { noteTokenCount } from '../people/people-list.js'

export function OwnAccount({ onClose }: { onClose: () => void }) {
  const { user, is_bootstrap_admin: isByAdminToken } = session.value ?? {}
  return html`<${Dialog} title="Your account" onClose=${onClose} class="own-account">
    ${isByAdminToken && html`<p>You used the admin token, which is not an account. Create an account under People to issue tokens.</p>`}
    ${
      user &&
      html`<section aria-label="Tokens"><${TokenList} path="/api/me" owner="you" onCounted=${(count: number) => noteTokenCount(user.id, count)} /></section>
        <section aria-label="Sessions"><${SessionList} path="/api/me" /></section>
        <section aria-labelledby="own-password"><h3 id="own-password">Password</h3><${OwnPassword} username=${user.username} /></section>`
    }
  <//>`
}

function OwnPassword({ username }: { username: string }) {
  const [isOpen, setOpen] = useState(false)
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const { isSending, problem, setProblem, send, refusalOf } = useSending()
  const [ofCurrent, ofPassword] = [refusalOf('/current_password'), refusalOf('/password')]
  const close = () => {
    setOpen(false)
    setCurrent('')
    setPassword('')
    setProblem(undefined)
  }
  const change = async () => {
    const body = { current_password: current, password }
    rememberCsrfToken((await api<Pick<Session, 'csrf_token'>>('/api/me/password', { body })).csrf_token)
    close()
    showToast({ words: 'Your password is changed. Your other sessions have ended.' })
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (current !== '' && password !== '') void send(change)
  }
  if (!isOpen) {
    return html`<button type="button" class="button small" onClick=${() => setOpen(true)}>Change your password…</button>`
  }
  return html`<form class="form" novalidate onSubmit=${submit}>
    ${problem !== undefined && ofCurrent === undefined && ofPassword === undefined && html`<${ProblemNote} what="The password was not changed." problem=${problem} />`}
    <input type="text" autocomplete="username" value=${username} readonly hidden />
    <${PasswordField} label="Current password" isCurrent value=${current} onChange=${setCurrent} refusal=${ofCurrent} />
    <${PasswordField} label="New password" value=${password} onChange=${setPassword} refusal=${ofPassword} hint="Ends your sessions in other browsers; tokens stay valid." />
    <div class="buttons"><button type="submit" class="button small" disabled=${isSending || current === '' || password === ''}>Change password</button>
      <button type="button" class="button small quiet" onClick=${close}>Cancel</button></div>
  </form>`
}
