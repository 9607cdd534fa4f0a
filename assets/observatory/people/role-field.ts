import type { Role } from '#model/accounts/user'
import { Segments } from '../../shared/controls/segments.js'
import { html } from '../../shared/html.js'

const ROLES: readonly { value: Role; label: string }[] = [
  { value: 'member', label: 'Member' },
  { value: 'admin', label: 'Admin' },
]

/** Rights of a role. */
export const ROLE_WORDS: Record<Role, string> = {
  member: 'Reads all events and manages its own subscriptions.',
  admin: 'Manages all users and all subscriptions.',
}

export interface RoleFieldProps {
  legend: string
  isLegendHidden?: boolean
  role: Role
  onChange: (role: Role) => void
}

export function RoleField({ legend, isLegendHidden, role, onChange }: RoleFieldProps) {
  return html`<${Segments} legend=${legend} isLegendHidden=${isLegendHidden} choices=${ROLES} value=${role} onChange=${onChange} />`
}
