import { signal } from '@preact/signals'
import type { Session } from '#model/ledger-answers'
import { commitToasts, showToast } from '../controls/toast.js'
import { api, rememberCsrfToken } from './api.js'
import { rootPath } from './root-path.js'

/** The logged-in user; undefined until the server has responded. */
export const session = signal<Session | undefined>(undefined)

/** Whether no login is set up, so that everyone who can reach the server may read and write. */
export function isOpen(): boolean {
  return session.value?.admin_required === false
}

/** Whether the user may manage people, and items of others. In open mode there is no admin. */
export function isAdmin(): boolean {
  return session.value?.is_bootstrap_admin === true || session.value?.user?.role === 'admin'
}

export function ownName(): string {
  if (session.value?.user) return session.value.user.username
  return session.value?.is_bootstrap_admin ? 'Admin token' : 'Not signed in'
}

export async function loadSession(): Promise<void> {
  const found = await api<Session>('/api/session')
  rememberCsrfToken(found.csrf_token)
  session.value = found
}

export async function logOut(): Promise<void> {
  try {
    await commitToasts()
    await api('/api/logout', { method: 'POST' })
    location.assign(`${rootPath}/`)
  } catch {
    showToast({ words: 'You are still logged in: the server did not answer. Try again.' })
  }
}
