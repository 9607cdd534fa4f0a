import { LedgerClient } from '../client/ledger-client.js'
import { AppError } from '../model/app-error.js'
import type { CaptureProgress, CaptureRequest, CaptureResult } from '../model/subscriptions/capture.js'
import type { LocalSettings } from '../settings/local-settings.js'
import { Captures } from './captures.js'
import { openLedger, wallClock } from './open-ledger.js'
import { reachLedger } from './reach-ledger.js'

/**
 * Captures in the process that owns the ledger: the server that has it open, else this one.
 *
 * @throws AppError `not_found/ledger_missing`, `unavailable/ledger_busy`; as `Captures`
 */
export async function capture(
  settings: LocalSettings,
  request: CaptureRequest,
  onProgress: (progress: CaptureProgress) => void,
): Promise<CaptureResult> {
  try {
    return await reachLedger(settings.database, {
      throughServer: (_, socketPath) => new LedgerClient({ socketPath }).capture(request, onProgress),
      throughFile: () => captureIntoFile(settings, request, onProgress),
    })
  } catch (error) {
    throw toBusy(error)
  }
}

/** Whoever holds the ledger, a capture or a server that begins or ends, will let go of it: the next time may do. */
function toBusy(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'ledger_owned') return error
  return new AppError('unavailable', 'ledger_busy', error.message, { cause: error })
}

async function captureIntoFile(
  settings: LocalSettings,
  request: CaptureRequest,
  onProgress: (progress: CaptureProgress) => void,
): Promise<CaptureResult> {
  const opened = await openLedger(settings, 'command')
  const stop = new AbortController()
  // Once the ledger is not ours any more, nothing may be written to it.
  opened.failed.catch(error => stop.abort(error))
  try {
    return await new Captures(opened.ledger, wallClock).run(request, { signal: stop.signal, onProgress })
  } finally {
    await opened.close()
  }
}
