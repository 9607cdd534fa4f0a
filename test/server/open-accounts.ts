import type { Accounts } from '../../src/accounts/accounts.js'

const unavailable = async (): Promise<never> => {
  throw new Error('This ledger has no users, and its test asks for none.')
}

/** Accounts of a ledger that has none and never had. */
export const OPEN_ACCOUNTS: Accounts = {
  isClosed: async () => false,
  identify: async () => ({ kind: 'open' }),
  login: unavailable,
  logout: unavailable,
  passwordMinLength: 8,
  listUsers: unavailable,
  createUser: unavailable,
  updateUser: unavailable,
  changeOwnPassword: unavailable,
  deleteUser: unavailable,
  tokens: { issue: unavailable, list: unavailable, revoke: unavailable, revokeAll: unavailable },
  sessions: { list: unavailable, end: unavailable, endAll: unavailable },
  listLog: unavailable,
}
