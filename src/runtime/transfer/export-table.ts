import { resolve } from 'node:path'
import { LedgerClient } from '../../client/ledger-client.js'
import type { Ledger } from '../../ledger/ledger.js'
import { eventsOf, QUERY_LIMITS } from '../../model/events/event-query.js'
import { type Micros, readTimestamp, timestampOrNull } from '../../model/timestamp.js'
import { CSV_HEAD, csvLine } from '../../server/events/event-csv.js'
import type { LocalSettings } from '../../settings/local-settings.js'
import { openLedger } from '../open-ledger.js'
import { ledgerViaServerOrFile } from '../via-server-or-file.js'
import { type ExportTarget, exportStream, openExportFile } from './export-file.js'
import { type ExportOptions, interrupted } from './export-ledger.js'

/** A finished table. */
interface TableExport {
  /** Absolute, or `-` for standard output. */
  path: string
}

/**
 * Writes the events as CSV, in the same form as the page. An unfinished file cannot be continued, and is written again.
 *
 * @throws AppError `not_found/ledger_missing`, `conflict/file_exists`, `unavailable/export_interrupted`; `gone/pruned` and
 *   `conflict/ahead_of_ledger` for `since`
 */
export async function exportTable(
  settings: LocalSettings,
  file: string | NodeJS.WritableStream,
  { since, onProgress = () => {} }: ExportOptions,
): Promise<TableExport> {
  const after = since === undefined ? undefined : readTimestamp('--since', since)
  const path = typeof file === 'string' ? resolve(file) : '-'
  const target = typeof file === 'string' ? await openExportFile(path, { canContinue: false }) : exportStream(file)
  try {
    await ledgerViaServerOrFile(settings.database, {
      server: async (_, socketPath) => {
        const parameters = { format: 'csv', ...(after ? { since: after.text } : {}) }
        let isBegun = false
        try {
          for await (const chunk of new LedgerClient({ socketPath }).export(parameters)) {
            isBegun = true
            await target.write(chunk)
          }
        } catch (error) {
          // Another try would append a whole table to this part.
          throw isBegun ? interrupted(error, 'Run the same command again: it writes the whole table.') : error
        }
      },
      file: async () => {
        const { ledger, close } = await openLedger({ ...settings, mayFollow: true, mayBeMoved: true }, 'command')
        try {
          await writeTable(ledger, target, { since: after?.micros, onProgress })
        } finally {
          await close()
        }
      },
    })
    await target.finish()
    return { path }
  } finally {
    await target.close()
  }
}

async function writeTable(
  ledger: Pick<Ledger, 'query'>,
  target: ExportTarget,
  { since, onProgress }: { since: Micros | undefined; onProgress: NonNullable<ExportOptions['onProgress']> },
): Promise<void> {
  await target.write(Buffer.from(CSV_HEAD))
  const query = { order: 'asc', limit: QUERY_LIMITS.limit, withoutPayload: true } as const
  let count = 0
  for (let from = since, hasMore = true; hasMore; ) {
    const page = await ledger.query({ ...query, ...(from === undefined ? {} : { since: from }) })
    const items = eventsOf(page)
    if (items.length > 0) await target.write(Buffer.from(items.map(csvLine).join('')))
    count += items.length
    from = page.nextSince ?? from
    hasMore = page.hasMore
    onProgress({ events: count, head: timestampOrNull(page.head), through: timestampOrNull(page.latestCapturedAt) })
  }
}
