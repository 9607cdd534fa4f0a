import { LedgerClient } from '../client/ledger-client.js'
import type { ErasureStep } from '../ledger/erasures.js'
import type { ErasedSummary, ErasureRequest } from '../model/events/erasure.js'
import type { LocalSettings } from '../settings/local-settings.js'
import { changeOnce } from './change-once.js'
import { openLedger } from './open-ledger.js'
import { ledgerViaServerOrFile } from './via-server-or-file.js'

const BY = 'a command on the server'
const HINT = 'Run the same command again: it erases what is left, or reports that the event was erased.'

/**
 * Erases the content of an event, or of all events of an actor: through the server that has the ledger open, else in its
 * file.
 *
 * @throws AppError `not_found/ledger_missing`, `conflict/ledger_owned`, `unavailable/outcome_unknown`; as `Erasures.erase`
 */
export function eraseInLedger(
  settings: LocalSettings,
  request: ErasureRequest,
  onProgress: (erased: number) => void,
): Promise<ErasedSummary> {
  return ledgerViaServerOrFile(settings.database, {
    server: async (_, socketPath) => {
      const client = new LedgerClient({ socketPath })
      const step = async () => (await changeOnce(client.erase(JSON.stringify(request)), HINT)).json() as ErasureStep
      return inSteps(step, onProgress)
    },
    file: async () => {
      const { ledger, close } = await openLedger(settings, 'command')
      try {
        return await inSteps(() => ledger.erasures.erase(request, BY), onProgress)
      } finally {
        await close()
      }
    },
  })
}

async function inSteps(step: () => Promise<ErasureStep>, onProgress: (erased: number) => void): Promise<ErasedSummary> {
  const summary: ErasedSummary = { erased: 0, entries: [] }
  for (;;) {
    const { erased, entry, has_more } = await step()
    summary.erased += erased
    if (entry !== null) summary.entries.push(entry)
    onProgress(summary.erased)
    if (!has_more) return summary
  }
}
