import { useState } from 'preact/hooks'
import { ProblemNote } from '../../shared/controls/problem-note.js'
import { showToast } from '../../shared/controls/toast.js'
import { html } from '../../shared/html.js'
import { ApiProblem, api, rememberCsrfToken } from '../../shared/server/api.js'
import type { Session } from '../../shared/server/wire.js'
import { PasswordField } from './password-field.js'

/** The user's own change of the password. */
export function OwnPassword({ username }: { username: string }) {
  const [isOpen, setOpen] = useState(false)
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<unknown>(undefined)
  const [isSaving, setSaving] = useState(false)
  const refusalOf = (field: string) => (problem instanceof ApiProblem ? problem.of(field) : undefined)
  const [ofCurrent, ofPassword] = [refusalOf('/current_password'), refusalOf('/password')]
  const close = () => {
    setOpen(false)
    setCurrent('')
    setPassword('')
    setProblem(undefined)
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    if (isSaving || current === '' || password === '') return
    setSaving(true)
    setProblem(undefined)
    try {
      const body = { current_password: current, password }
      rememberCsrfToken((await api<Pick<Session, 'csrf_token'>>('/api/me/password', { body })).csrf_token)
      close()
      showToast({ words: 'Your password is changed. Your other sessions have ended.' })
    } catch (failure) {
      setProblem(failure)
    } finally {
      setSaving(false)
    }
  }
  if (!isOpen) {
    return html`<button type="button" class="button small" onClick=${() => setOpen(true)}>Change your password…</button>`
  }
  return html`<form class="form" novalidate onSubmit=${submit}>
    ${problem !== undefined && ofCurrent === undefined && ofPassword === undefined && html`<${ProblemNote} what="The password was not changed." problem=${problem} />`}
    <input type="text" autocomplete="username" value=${username} readonly hidden />
    <${PasswordField} label="Current password" isCurrent value=${current} onChange=${setCurrent} refusal=${ofCurrent} />
    <${PasswordField} label="New password" value=${password} onChange=${setPassword} refusal=${ofPassword} hint="Ends your sessions in other browsers; tokens stay valid." />
    <div class="buttons"><button type="submit" class="button small" disabled=${isSaving || current === '' || password === ''}>Change password</button>
      <button type="button" class="button small quiet" onClick=${close}>Cancel</button></div>
  </form>`
}
