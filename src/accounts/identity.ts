import type { User } from '../model/accounts/user.js'

/** The credentials of a request, as sent, without their scheme, not verified yet. */
export interface ShownCredentials {
  /** From `Authorization: Bearer`. */
  bearer?: string | undefined
  /** From `X-Event-Admin-Token`. */
  adminToken?: string | undefined
  /** From the session cookie. */
  session?: string | undefined
}

/** Who sent a request, as verified by its credentials. */
export type Identity =
  | { kind: 'anonymous' }
  /** No login is needed: the ledger never had users; reads and subscriptions are open. */
  | { kind: 'open' }
  /** The admin token, or the owner of the ledger's files over its socket: an admin without an account. */
  | { kind: 'bootstrap_admin' }
  /** By an API token: exempt from CSRF. */
  | { kind: 'token'; user: User }
  /** By a read-only token: may read what its user may. */
  | { kind: 'reader'; user: User }
  /** By a writer token: may only record events of these sources. */
  | { kind: 'writer'; user: User; sources: readonly string[] }
  /** By a browser session: unsafe methods need its CSRF token. */
  | { kind: 'session'; user: User; csrfToken: string; sessionId: string }

export const ANONYMOUS: Identity = { kind: 'anonymous' }
export const OPEN: Identity = { kind: 'open' }
export const BOOTSTRAP_ADMIN: Identity = { kind: 'bootstrap_admin' }

/** May manage all users and all subscriptions. */
export function isAdmin(identity: Identity): boolean {
  return identity.kind === 'bootstrap_admin' || userOf(identity)?.role === 'admin'
}

/** The user whose rights the caller has. A read-only token has only the rights to read; a writer token has none. */
export function userOf(identity: Identity): User | undefined {
  return 'user' in identity && identity.kind !== 'writer' ? identity.user : undefined
}
