import { LedgerClient } from '../client/ledger-client.js'
import { AppError } from '../model/app-error.js'
import type { DeliveryTraceState } from '../model/platforms/delivery-trace.js'
import { toTimestamp } from '../model/timestamp.js'
import type { LocalSettings } from '../settings/local-settings.js'
import { wallClock } from './open-ledger.js'
import { readKeptTrace } from './serve/kept-trace.js'
import { ledgerViaServerOrFile } from './via-server-or-file.js'

/**
 * What arrived at the webhooks of the server that has the ledger open, else of the last one.
 *
 * @throws AppError `not_found/ledger_missing`, `configuration/ledger_not_a_file`
 */
export function readDeliveries({ database }: LocalSettings): Promise<DeliveryTraceState> {
  return ledgerViaServerOrFile(database, {
    server: async (_, socketPath) => (await new LedgerClient({ socketPath }).deliveries()).json() as DeliveryTraceState,
    file: async () => {
      if (database.postgres) throw ofEachServer()
      return readKeptTrace(database.path) ?? { since: toTimestamp(wallClock()), sources: [], refused: [] }
    },
  })
}

function ofEachServer(): AppError {
  const message = 'This ledger is in PostgreSQL, where each server has its own list.'
  return new AppError('configuration', 'ledger_not_a_file', message, { hint: 'Ask a server: GET /api/deliveries.' })
}
