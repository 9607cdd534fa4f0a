import type { ListedUser } from '#model/accounts/user'
import type { List } from '#model/ledger-answers'
import type { Subscription } from '#model/subscriptions/subscription'
import { api, createResource } from '../../shared/server/api.js'
import { isAdmin, session } from '../../shared/server/session.js'

/** Names by id, if the user may see them. */
const names = createResource(async signal => {
  const { items } = await api<List<ListedUser>>('/api/users', { signal })
  return new Map(items.map(({ id, username }) => [id, username]))
})

export async function loadOwners(): Promise<void> {
  if (isAdmin()) await names.load()
}

/** Name of the owner; empty for those that belong to all admins, and for unknown names. */
export function ownerName({ owner_user_id: id }: Pick<Subscription, 'owner_user_id'>): string {
  if (id === null) return ''
  const { user } = session.value ?? {}
  return user?.id === id ? user.username : (names.value.value?.get(id) ?? '')
}
