import { LedgerClient } from '../client/ledger-client.js'
import { type DeliveryTraceState, joinTraces } from '../model/platforms/delivery-trace.js'
import type { LocalSettings } from '../settings/local-settings.js'
import { openLedger } from './open-ledger.js'
import { readStoredTraces } from './serve/stored-trace.js'
import { ledgerViaServerOrFile } from './via-server-or-file.js'

/**
 * The trace of deliveries to the webhooks of a ledger. Servers of a ledger in PostgreSQL save it every ten seconds.
 *
 * @throws AppError `not_found/ledger_missing`
 */
export function readDeliveries({ database, ...settings }: LocalSettings): Promise<DeliveryTraceState> {
  return ledgerViaServerOrFile(database, {
    server: async (_, socketPath) => (await new LedgerClient({ socketPath }).deliveries()).json() as DeliveryTraceState,
    file: async () => {
      const opened = await openLedger({ database, ...settings, mayFollow: true, mayBeMoved: true }, 'command')
      try {
        return joinTraces(await readStoredTraces(opened.store.notes), opened.clock())
      } finally {
        await opened.close()
      }
    },
  })
}
