import { useId, useState } from 'preact/hooks'
import type { ListedUser, Role } from '#model/accounts/user'
import { Panel } from '../../shared/controls/dialog.js'
import { TextField } from '../../shared/controls/field.js'
import { ProblemNote } from '../../shared/controls/note.js'
import { takeDraft, useDraft } from '../../shared/drafts.js'
import { html } from '../../shared/html.js'
import { ApiProblem, useSending } from '../../shared/server/api.js'
import { PasswordField, ROLE_WORDS, RoleField } from './password-field.js'
import { createPerson } from './people-list.js'

const DRAFT = 'person:new'

export function NewPerson({ onClose, onCreated }: { onClose: () => void; onCreated: (person: ListedUser) => void }) {
  const id = useId()
  const [first] = useState(() => Object(takeDraft(DRAFT)) as { username?: unknown; role?: unknown })
  const [username, setUsername] = useState(typeof first.username === 'string' ? first.username : '')
  const [role, setRole] = useState<Role>(first.role === 'admin' ? 'admin' : 'member')
  const [password, setPassword] = useState('')
  const { isSending, problem, send, refusalOf } = useSending()
  useDraft(DRAFT, { username, role })
  const isTaken = problem instanceof ApiProblem && problem.code === 'username_taken'
  const ofName = isTaken ? problem.message : refusalOf('/username')
  const ofPassword = refusalOf('/password')
  const isEmpty = username === '' || password === ''
  const submit = (event: Event) => {
    event.preventDefault()
    if (!isEmpty) void send(async () => onCreated(await createPerson({ username, password, role })))
  }
  return html`<${Panel} label="New person" size="person" takesFocus onClose=${onClose}
    foot=${html`<span class="form-owner"></span><button type="button" class="button quiet" onClick=${onClose}>Cancel</button>
      <button type="submit" form=${id} class="button primary" disabled=${isSending || isEmpty}>${isSending ? 'Creating…' : 'Create account'}</button>`}>
    <form id=${id} class="form person-form" novalidate onSubmit=${submit}>
      ${problem !== undefined && ofName === undefined && ofPassword === undefined && html`<${ProblemNote} what="The account was not created." problem=${problem} />`}
      <${TextField} label="Name" value=${username} onChange=${setUsername} refusal=${ofName} maxlength="64"
        hint="For a person or a program: letters, digits and . _ @ -" />
      <${PasswordField} label="First password" value=${password} onChange=${setPassword} refusal=${ofPassword}
        hint="Send it by a safe channel. Programs that use a token never need it." />
      <div><${RoleField} value=${role} onChange=${setRole} /><p class="field-hint">${ROLE_WORDS[role]}</p></div>
    </form>
  <//>`
}
