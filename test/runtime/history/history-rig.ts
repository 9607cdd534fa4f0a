import { join } from 'node:path'
import type { Test } from 'tap'
import { readHistoryTarget } from '../../../src/cli/input/history-target.js'
import type { Ledger } from '../../../src/ledger/ledger.js'
import type { StoredEvent } from '../../../src/model/events/event.js'
import { eventsOf } from '../../../src/model/events/event-query.js'
import type { HistoryAccount, HistoryReport } from '../../../src/model/platforms/history.js'
import { captureHistory } from '../../../src/runtime/history/capture-history.js'
import { openLedger } from '../../../src/runtime/open-ledger.js'
import type { LocalSettings } from '../../../src/settings/local-settings.js'
import { ownFolder } from '../../black-box/own-folder.js'

interface HistoryRig {
  settings: LocalSettings
  /** Milliseconds of every pause. */
  pauses: number[]
  read(target: string, account: HistoryAccount, more?: { since?: string; restart?: boolean }): Promise<HistoryReport>
  /** Everything in the ledger, oldest first; while no command has it open. */
  events(): Promise<StoredEvent[]>
  withLedger<Result>(work: (ledger: Ledger) => Promise<Result>): Promise<Result>
}

export const SINCE = '2024-01-01T00:00:00.000000Z'

/** A ledger of its own; pauses take no time. */
export async function historyRig(t: Test): Promise<HistoryRig> {
  const home = ownFolder(t)
  const database = { path: join(home, 'events.db'), isDefault: false, legacyPath: join(home, 'older.db') }
  const settings: LocalSettings = { home, database, upgradeCopy: false }
  const pauses: number[] = []
  const withLedger: HistoryRig['withLedger'] = async work => {
    const opened = await openLedger(settings, 'command')
    try {
      return await work(opened.ledger)
    } finally {
      await opened.close()
    }
  }
  await withLedger(async () => {})
  return {
    settings,
    pauses,
    withLedger,
    events: () => withLedger(async ledger => eventsOf(await ledger.query({ order: 'asc', limit: 1_000 }))),
    read: (text, account, { since = SINCE, restart = false } = {}) =>
      captureHistory(settings, {
        target: readHistoryTarget(text, account.source),
        since,
        account,
        restart,
        onProgress: () => {},
        sleep: async milliseconds => pauses.push(milliseconds),
      }),
  }
}
