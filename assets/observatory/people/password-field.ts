import { useState } from 'preact/hooks'
import type { Role } from '#model/accounts/user'
import { TextField, type TextFieldProps } from '../../shared/controls/field.js'
import { ProblemNote } from '../../shared/controls/note.js'
import { Segments, type SegmentsProps } from '../../shared/controls/segments.js'
import { html } from '../../shared/html.js'
import { useSending } from '../../shared/server/api.js'
import { capital } from '../../shared/words/text.js'
import { passwordMinLength } from './people-list.js'

interface PasswordFieldProps extends TextFieldProps {
  /** Whether this is the current password, which proves who makes the change. */
  isCurrent?: boolean
}

/** A password that can be revealed, because one for another person must be passed on. Never kept in a draft. */
export function PasswordField({ isCurrent, hint, ...others }: PasswordFieldProps) {
  const least = isCurrent ? undefined : passwordMinLength.value
  const words = [least !== undefined && `At least ${least} characters.`, hint].filter(Boolean).join(' ')
  return html`<${TextField} ...${others} secret="the password" hint=${words} maxlength="1024" autocomplete=${isCurrent ? 'current-password' : 'new-password'} />`
}

interface PasswordFormProps {
  /** Labels of the button that shows the form, and of the one that sends it (`answer`). */
  label: string
  answer: string
  hint: string
  /** Username of the own account, for which the current password proves who makes the change. */
  username?: string
  /** @throws ApiProblem */
  change: (passwords: { password: string; current_password: string }) => Promise<void>
}

/** Changes a password, of the user or of another person. */
export function PasswordForm({ label, answer, hint, username, change }: PasswordFormProps) {
  const [isOpen, setOpen] = useState(false)
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const { isSending, problem, setProblem, send, refusalOf } = useSending()
  const [ofCurrent, ofPassword] = [refusalOf('/current_password'), refusalOf('/password')]
  const isEmpty = password === '' || (username !== undefined && current === '')
  const close = () => {
    setOpen(false)
    setCurrent('')
    setPassword('')
    setProblem(undefined)
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (!isEmpty) void send(() => change({ password, current_password: current }).then(close))
  }
  if (!isOpen) return html`<button type="button" class="button small" onClick=${() => setOpen(true)}>${label}</button>`
  return html`<form class="form" novalidate onSubmit=${submit}>
    ${problem !== undefined && ofCurrent === undefined && ofPassword === undefined && html`<${ProblemNote} what="The password was not changed." problem=${problem} />`}
    ${
      username !== undefined &&
      html`<input type="text" autocomplete="username" value=${username} readonly hidden />
        <${PasswordField} label="Current password" isCurrent value=${current} onChange=${setCurrent} refusal=${ofCurrent} />`
    }
    <${PasswordField} label="New password" value=${password} onChange=${setPassword} refusal=${ofPassword} hint=${hint} />
    <div class="buttons"><button type="submit" class="button small" disabled=${isSending || isEmpty}>${answer}</button>
      <button type="button" class="button small quiet" onClick=${close}>Cancel</button></div>
  </form>`
}

const ROLES = (['member', 'admin'] as const).map(value => ({ value, label: capital(value) }))

export const ROLE_WORDS: Record<Role, string> = {
  member: 'Reads all events and manages its own subscriptions.',
  admin: 'Manages all users and all subscriptions.',
}

type RoleFieldProps = Omit<SegmentsProps<Role>, 'legend' | 'choices'>

export function RoleField(props: RoleFieldProps) {
  return html`<${Segments} legend="Role" choices=${ROLES} ...${props} />`
}
