import { type Identity, isAdmin, userOf } from '../../accounts/identity.js'
import type { LedgerCaller } from '../../ledger/ledger-caller.js'

/** The caller on whose behalf a request reads and changes subscriptions and consumers. */
export function toCaller(identity: Identity): LedgerCaller {
  if (isAdmin(identity)) return { role: 'admin' }
  const user = userOf(identity)
  if (user) return { role: 'member', userId: user.id }
  if (identity.kind === 'open') return { role: 'open' }
  throw new Error('Subscriptions or consumers were reached without a login')
}
