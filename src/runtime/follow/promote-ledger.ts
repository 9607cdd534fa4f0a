import { LedgerClient } from '../../client/ledger-client.js'
import type { PromotedLedger, PromotionInput } from '../../model/follow.js'
import type { LocalSettings } from '../../settings/local-settings.js'
import { notFollowing } from '../../store/copy-store.js'
import { changeOnce } from '../change-once.js'
import { requireFile } from '../not-a-file.js'
import { openLedger, wallClock } from '../open-ledger.js'
import { ledgerViaServerOrFile } from '../via-server-or-file.js'
import { promoteStore } from './promote-store.js'

const HINT = 'Check with "daybook ledger status".'

/**
 * Stops the ledger of this machine from following another one: through its server, else in its file.
 *
 * @throws AppError `not_found/ledger_missing`, `unavailable/outcome_unknown`; as `promoteStore`
 */
export function promoteLedger(settings: LocalSettings, input: PromotionInput): Promise<PromotedLedger> {
  requireFile(settings.database)
  return ledgerViaServerOrFile(settings.database, {
    server: async (_, socketPath) =>
      (
        await changeOnce(new LedgerClient({ socketPath }).promote(JSON.stringify(input)), HINT)
      ).json() as PromotedLedger,
    file: async () => {
      const { store, close } = await openLedger({ ...settings, mayFollow: true }, 'command')
      try {
        const { mark } = await store.copies.findFollow()
        if (!mark) throw notFollowing()
        return await promoteStore(store, {
          leader: mark.leader,
          now: wallClock(),
          ...input,
          stopCopying: async () => {},
        })
      } finally {
        await close()
      }
    },
  })
}
