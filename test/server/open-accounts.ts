import type { Accounts } from '../../src/accounts/accounts.js'

const nobody = async (): Promise<never> => {
  throw new Error('This ledger has no users, and its test asks for none.')
}

/** Accounts of a ledger that has none and never had. */
export const OPEN_ACCOUNTS: Accounts = {
  isClosed: async () => false,
  identify: async () => ({ kind: 'open' }),
  login: nobody,
  logout: nobody,
  passwordMinLength: 8,
  listUsers: nobody,
  createUser: nobody,
  updateUser: nobody,
  changeOwnPassword: nobody,
  deleteUser: nobody,
  tokens: { issue: nobody, list: nobody, revoke: nobody, revokeAll: nobody },
  sessions: { list: nobody, end: nobody, endAll: nobody },
  listLog: nobody,
}
