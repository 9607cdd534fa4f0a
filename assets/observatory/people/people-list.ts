import { computed, signal } from '@preact/signals'
import type { ListedUser, User } from '#model/accounts/user'
import type { List } from '#model/ledger-answers'
import { deleteLater, deleting } from '../../shared/deletions.js'
import { html } from '../../shared/html.js'
import { api, createResource, segment } from '../../shared/server/api.js'
import { session } from '../../shared/server/session.js'

export const passwordMinLength = signal<number | undefined>(undefined)

const loaded = createResource(async signal => {
  const { items, password_min_length } = await api<List<ListedUser> & { password_min_length: number }>('/api/users', {
    signal,
  })
  passwordMinLength.value = password_min_length
  return items
})

export const people = {
  ...loaded,
  value: computed(() => loaded.value.value?.filter(({ id }) => !deleting.value.has(id))),
}

interface PersonChanges {
  role?: ListedUser['role']
  enabled?: boolean
  password?: string
}

/** @throws ApiProblem */
export async function createPerson(person: {
  username: string
  password: string
  role: ListedUser['role']
}): Promise<ListedUser> {
  const created = { ...(await api<User>('/api/users', { body: person })), token_count: 0 }
  loaded.set([...(loaded.value.peek() ?? []), created].sort((a, b) => a.username.localeCompare(b.username)))
  return created
}

/** @throws ApiProblem */
export async function changePerson({ id }: ListedUser, changes: PersonChanges): Promise<void> {
  const changed = await api<User>(`/api/users/${segment(id)}`, { method: 'PATCH', body: changes })
  revise(id, changed)
}

/** Applies a user's number of tokens to the list. */
export function noteTokenCount(id: string, count: number): void {
  revise(id, { token_count: count })
}

function revise(id: string, changes: Partial<ListedUser>): void {
  const all = loaded.value.peek()
  if (all) loaded.set(all.map(person => (person.id === id ? { ...person, ...changes } : person)))
}

/** Deletes an account, with ten seconds to undo. */
export function deletePerson({ id, username }: ListedUser): void {
  deleteLater({
    ...{ key: id, id, failure: `${username} was not deleted.` },
    words: html`Deleted <strong>${username}</strong>. Its events and subscriptions stay.`,
    remove: async () => {
      await api(`/api/users/${segment(id)}`, { method: 'DELETE', keepalive: true })
      loaded.set((loaded.value.peek() ?? []).filter(other => other.id !== id))
    },
  })
}

/**
 * Why a person cannot be disabled, deleted or made a member: no admin would remain. The server also considers an admin
 * token; the page knows of it only after using it.
 */
export function whyLastAdmin(person: ListedUser): string | undefined {
  const admins = (loaded.value.value ?? []).filter(
    ({ role, enabled, id }) => role === 'admin' && enabled && !deleting.value.has(id),
  )
  const isLast = admins.length === 1 && admins[0]?.id === person.id
  return isLast && !session.value?.is_bootstrap_admin
    ? 'This is the last admin. Make another user an admin first.'
    : undefined
}

/** Users cannot delete, disable or demote themselves; another admin can. */
export function whyNotDeleted(person: ListedUser): string | undefined {
  return whyLastAdmin(person) ?? (isOwn(person) ? 'This is your account; only another admin can delete it.' : undefined)
}

export function isOwn({ id }: ListedUser): boolean {
  return session.value?.user?.id === id
}
