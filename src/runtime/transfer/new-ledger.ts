import { AppError } from '../../model/app-error.js'
import type { LedgerHead } from '../../store/event-store.js'
import type { Store } from '../../store/store.js'

/** @throws AppError `conflict/ledger_not_empty` for a ledger that is not new */
export async function refuseUsed({ events, users }: Store): Promise<void> {
  const { event_count, subscription_count } = await events.stats()
  if (event_count === 0 && subscription_count === 0 && !(await users.isClosed())) return
  throw ledgerNotEmpty('it has events, subscriptions or users')
}

export function ledgerNotEmpty(reason: string): AppError {
  return new AppError('conflict', 'ledger_not_empty', `The ledger is not new: ${reason}.`, {
    hint: 'Name a new file or database for an identical ledger. `daybook ledger import --merge` records what is missing.',
  })
}

/** The newest event, even of a ledger that currently accepts no events. */
export async function findNewest({ copies }: Pick<Store, 'copies'>): Promise<LedgerHead | null> {
  const page = await copies.read({ since: Number.MAX_SAFE_INTEGER, changes: null, limit: 1, maxBytes: 0 })
  return page.through
}

export function copyDiffers(reason: string): AppError {
  const hint = 'Remove the new ledger, and begin again.'
  return new AppError('conflict', 'copy_differs', `The new ledger is not the same. ${reason}`, { hint })
}
