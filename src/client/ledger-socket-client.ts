import { AppError } from '../model/app-error.js'
import { fromFailure } from '../model/failure.js'
import type { ReconcileProgress, ReconcileRequest, ReconcileResult } from '../model/platforms/reconciliation.js'
import type { ProgressLine } from '../model/progress-line.js'
import type { CaptureProgress, CaptureRequest, CaptureResult } from '../model/subscriptions/capture.js'
import type { Answer } from './answer.js'
import { LedgerClient } from './ledger-client.js'
import { readJsonLines } from './lines.js'
import { type CallOptions, callWithBody, JSON_TYPE, toQueryString } from './server-client.js'

/** The REST API over the socket of the process that owns the ledger, which does more than it does over TCP. */
export class LedgerSocketClient extends LedgerClient {
  /** Copies the ledger. @param json `path`, as JSON */
  backup(json: string, options?: CallOptions): Promise<Answer> {
    return this.post('/api/backups', JSON_TYPE, json, options)
  }

  /** Checks events after `since`. */
  verify(range: { since?: string; limit?: string }): Promise<Answer> {
    return this.call({ method: 'POST', path: `/api/verify${toQueryString(range)}` })
  }

  /** Records the history that a platform has listed. */
  recordHistory(history: unknown): Promise<Answer> {
    return this.post('/api/history', JSON_TYPE, JSON.stringify(history))
  }

  /**
   * Captures watches in the process that owns the ledger.
   *
   * @throws AppError `unavailable/connection_lost` if the process ended during the capture; recorded events stay
   */
  capture(
    request: CaptureRequest,
    onProgress: (progress: CaptureProgress) => void,
    options?: CallOptions,
  ): Promise<CaptureResult> {
    return this.#withProgress<CaptureProgress, CaptureResult>('/api/captures', request, onProgress, options)
  }

  /**
   * Finds and fetches missed deliveries in the process that owns the ledger.
   *
   * @throws AppError `unavailable/connection_lost` if the process ended before the result; recorded events stay
   */
  reconcile(request: ReconcileRequest, onProgress: (progress: ReconcileProgress) => void): Promise<ReconcileResult> {
    return this.#withProgress<ReconcileProgress, ReconcileResult>('/api/reconciliations', request, onProgress)
  }

  async #withProgress<Progress, Result>(
    path: string,
    request: CaptureRequest | ReconcileRequest,
    onProgress: (progress: Progress) => void,
    options?: CallOptions,
  ): Promise<Result> {
    const answer = await this.open(callWithBody('POST', path, JSON_TYPE, JSON.stringify(request)), options)
    try {
      const lines = readJsonLines(answer.status, answer.chunks()) as AsyncGenerator<ProgressLine<Progress, Result>>
      for await (const line of lines) {
        if ('result' in line) return line.result
        if ('failure' in line) throw fromFailure(line.failure)
        onProgress(line.progress)
      }
    } finally {
      answer.end()
    }
    throw new AppError('unavailable', 'connection_lost', 'The server stopped before the work was complete. Try again.')
  }
}
