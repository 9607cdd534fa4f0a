import { useId, useState } from 'preact/hooks'
import type { Role } from '#model/accounts/user'
import { Glyph } from '../../shared/controls/glyph.js'
import { Segments, type SegmentsProps } from '../../shared/controls/segments.js'
import { html } from '../../shared/html.js'
import { capital } from '../../shared/words/text.js'
import { passwordMinLength } from './people-list.js'

export interface PasswordFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
  refusal: string | undefined
  hint?: string
  /** The user's password as it is, to prove who changes it. */
  isCurrent?: boolean
}

/** A password, which can be revealed: one for another person must be passed on. Never kept in a draft. */
export function PasswordField({ label, value, onChange, refusal, hint, isCurrent }: PasswordFieldProps) {
  const id = useId()
  const least = passwordMinLength.value
  const [isSeen, setSeen] = useState(false)
  return html`<div class="form-part">
    <label class="field-label" for=${id}>${label}</label>
    <div class="inset-field">
      <input id=${id} class="field" type=${isSeen ? 'text' : 'password'} value=${value} autocomplete=${isCurrent ? 'current-password' : 'new-password'} autocapitalize="none" spellcheck=${false}
        maxlength="1024" aria-invalid=${refusal !== undefined} aria-describedby=${`${id}-said`}
        onInput=${(event: InputEvent) => onChange((event.target as HTMLInputElement).value)} />
      <button type="button" class="button quiet icon" aria-label="Show the password" aria-pressed=${isSeen} onClick=${() => setSeen(!isSeen)}><${Glyph} name="eye" /></button>
    </div>
    <p id=${`${id}-said`} class=${refusal === undefined ? 'field-hint' : 'field-problem'}>${refusal ?? `${least === undefined ? '' : `At least ${least} characters. `}${hint}`}</p>
  </div>`
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
