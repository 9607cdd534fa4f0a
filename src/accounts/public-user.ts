import type { ListedUser, User } from '../model/accounts/user.js'
import type { ListedStoredUser, StoredUser } from '../store/user-store.js'

/** A user as others may see it. Lists members by name, so that a new member of the store stays private. */
export function toUser({ id, username, role, enabled, created_at, updated_at }: StoredUser): User {
  return { id, username, role, enabled, created_at, updated_at }
}

export function toListedUser({ token_count, ...user }: ListedStoredUser): ListedUser {
  return { ...toUser(user), token_count }
}
