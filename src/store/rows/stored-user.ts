import type { Role } from '../../model/accounts/user.js'
import { AppError } from '../../model/app-error.js'
import type { StoredToken, StoredUser } from '../user-store.js'
import { textOrNull } from './columns.js'

/** @param row of either database: `enabled` is 0 or 1 in SQLite */
export function toUser(row: Record<string, unknown>): StoredUser {
  return {
    id: String(row.id),
    username: String(row.username),
    role: row.role as Role,
    enabled: Boolean(row.enabled),
    password_hash: String(row.password_hash),
    created_at: String(row.created_at),
    updated_at: String(row.updated_at),
  }
}

export function toToken(row: Record<string, unknown>): StoredToken {
  return {
    id: String(row.id),
    user_id: String(row.user_id),
    digest: String(row.digest),
    prefix: String(row.prefix),
    may: row.may as StoredToken['may'],
    sources: JSON.parse(String(row.sources)),
    name: textOrNull(row.name),
    expires_at: textOrNull(row.expires_at),
    created_at: String(row.created_at),
    last_used_at: textOrNull(row.last_used_at),
  }
}

/** Whether the user can administer. */
export function isAdmin({ role, enabled }: StoredUser): boolean {
  return role === 'admin' && enabled
}

export function nameTaken(): AppError {
  return new AppError('conflict', 'username_taken', 'A user of that name exists; case is ignored.', {
    hint: 'Choose another username.',
  })
}

export function lastAdmin(): AppError {
  return new AppError('conflict', 'last_admin', 'This is the last administrator who can log in.', {
    hint: 'Make another user an administrator first, or configure an admin token.',
  })
}
