import type { User } from '../model/user.js'

/** What a request shows to say who sends it; each as it was sent, without its scheme, and none of it believed yet. */
export interface ShownCredentials {
  /** Of `Authorization: Bearer`. */
  bearer?: string
  /** Of `X-Event-Admin-Token`. */
  adminToken?: string
  /** Of the session cookie. */
  session?: string
}

/** Who a request proved to be. */
export type Identity =
  /** Nobody. */
  | { kind: 'anonymous' }
  /** Nobody in particular, in a ledger that has no users and never had: reads and subscriptions are open. */
  | { kind: 'open' }
  /** The admin token, or the owner of the ledger's files over its socket: an admin without an account. */
  | { kind: 'bootstrap_admin' }
  /** By an API token: exempt from CSRF. */
  | { kind: 'token'; user: User }
  /** By a browser session: unsafe methods need its CSRF token. */
  | { kind: 'session'; user: User; csrfToken: string }

export const ANONYMOUS: Identity = { kind: 'anonymous' }
export const BOOTSTRAP_ADMIN: Identity = { kind: 'bootstrap_admin' }

/** May manage all users and all subscriptions. */
export function isAdmin(identity: Identity): boolean {
  return identity.kind === 'bootstrap_admin' || userOf(identity)?.role === 'admin'
}

export function userOf(identity: Identity): User | undefined {
  return identity.kind === 'token' || identity.kind === 'session' ? identity.user : undefined
}
