import type { CompactedLedger } from '../model/backup.js'
import type { LocalSettings } from '../settings/local-settings.js'
import { Database } from '../store/sqlite/files/database.js'
import { refuseForeign } from '../store/sqlite/files/foreign-database.js'
import { requireFile } from './not-a-file.js'
import { whileOwned } from './ownership.js'
import { ledgerViaServerOrFile, sizeOf } from './via-server-or-file.js'

/**
 * Rebuilds the file of a ledger that no server has open, without unused space.
 *
 * @throws AppError `not_found/ledger_missing`, `conflict/ledger_owned`, `unavailable/store_…`
 */
export async function compactLedger({ database }: LocalSettings): Promise<CompactedLedger> {
  requireFile(database)
  const compact = () =>
    whileOwned(database.path, async path => {
      const bytes_before = await sizeOf(path)
      const opened = new Database(path, { noun: 'ledger', refuseForeign })
      try {
        opened.rebuild()
      } finally {
        opened.close()
      }
      return { database: path, bytes_before, bytes: await sizeOf(path) }
    })
  // If a server has the ledger open, taking ownership fails with an error that names the server.
  return ledgerViaServerOrFile(database, { server: compact, file: compact })
}
