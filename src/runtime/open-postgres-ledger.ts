import { Ledger } from '../ledger/ledger.js'
import { type PostgresAddress, shownAddress } from '../model/postgres-address.js'
import { openPostgresStore } from '../store/postgres/store.js'
import { newSubscriptionId, type OpenLedger } from './open-ledger.js'
import { deferredFailure } from './ownership.js'
import { type AllowedStates, refuseUnusable } from './refuse-unusable.js'

interface PostgresDatabase {
  postgres: PostgresAddress
  replica?: PostgresAddress | undefined
}

interface PostgresLedgerOptions {
  maxSubscriptions: number | undefined
  allowed: AllowedStates
}

/**
 * Opens a ledger in PostgreSQL; creates or upgrades its tables if necessary. There is no owner: any number of processes may
 * have it open.
 *
 * @throws AppError `unavailable/store_…`, `configuration/store_newer`
 */
export async function openPostgresLedger(
  { postgres: address, replica }: PostgresDatabase,
  { allowed, ...options }: PostgresLedgerOptions,
): Promise<OpenLedger> {
  const store = await openPostgresStore({ address, replica })
  try {
    await refuseUnusable(store.copies, shownAddress(address), allowed)
    const clock = store.multiServer.now
    const ledger = await Ledger.open({ store, clock, newSubscriptionId, ...options })
    // Never rejects: an unreachable database may come back. Until then requests fail, and the process continues.
    const { promise: failed } = deferredFailure()
    const database = shownAddress(address)
    return { ledger, store, clock, database, engine: 'postgres', failed, close: () => store.close() }
  } catch (error) {
    await store.close()
    throw error
  }
}
