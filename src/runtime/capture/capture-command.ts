import { LedgerSocketClient } from '../../client/ledger-socket-client.js'
import { AppError } from '../../model/app-error.js'
import type { CaptureProgress, CaptureRequest, CaptureResult } from '../../model/subscriptions/capture.js'
import type { LocalSettings } from '../../settings/local-settings.js'
import { openLedger } from '../open-ledger.js'
import { ledgerViaServerOrFile } from '../via-server-or-file.js'
import { Captures } from './captures.js'

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
    return await ledgerViaServerOrFile(settings.database, {
      server: (_, socketPath) => new LedgerSocketClient({ socketPath }).capture(request, onProgress),
      file: () => captureIntoFile(settings, request, onProgress),
    })
  } catch (error) {
    throw toBusy(error)
  }
}

/** Another capture, or a server that starts or stops, holds the ledger only briefly, so a retry can succeed. */
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
  // Stops writing as soon as this process no longer owns the ledger.
  opened.failed.catch(error => stop.abort(error))
  try {
    return await new Captures(opened.ledger, opened.clock).run(request, { signal: stop.signal, onProgress })
  } finally {
    await opened.close()
  }
}
