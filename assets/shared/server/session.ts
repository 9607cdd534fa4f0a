import type { Session } from '#model/ledger-answers'
import { commitToasts, showToast } from '../controls/toast.js'
import { api, createResource, rememberCsrfToken } from './api.js'
import { rootPath } from './root-path.js'

/** Its problem is the reason why the user is unknown. */
export const sessionLoad = createResource<Session>(async signal => {
  const found = await api<Session>('/api/session', { signal })
  rememberCsrfToken(found.csrf_token)
  return found
})

/** The logged-in user; undefined until the server has responded. */
export const session = sessionLoad.value

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
  return session.value?.is_bootstrap_admin ? 'Admin token' : 'Not logged in'
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
