import { LedgerSocketClient } from '../../client/ledger-socket-client.js'
import type { Ledger } from '../../ledger/ledger.js'
import type { NewEvent, Verification } from '../../model/events/event.js'

/** The receiver of the events: a ledger that this process has open, or the server that has it open. */
export interface HistoryLedger {
  /** Identifies the ledger, so that progress with one does not count for another. */
  epoch(): Promise<string>
  /** Records the events that the ledger does not have. */
  record(events: readonly NewEvent[]): Promise<RecordedHistory>
}

export interface RecordedHistory {
  created: number
  known: number
}

export function openHistoryLedger(
  ledger: Pick<Ledger, 'recordMissing' | 'health'>,
  verified: Verification,
): HistoryLedger {
  return {
    epoch: async () => (await ledger.health()).epoch,
    record: events =>
      ledger.recordMissing(events.map(event => ({ event, provenance: { route: 'import', verified } }) as const)),
  }
}

/** @param socketPath of the process that owns the ledger */
export function servedHistoryLedger(socketPath: string, verified: Verification): HistoryLedger {
  const client = new LedgerSocketClient({ socketPath })
  return {
    epoch: async () => ((await client.health()).json() as { epoch: string }).epoch,
    record: async events => (await client.recordHistory({ verified, events })).json() as RecordedHistory,
  }
}
