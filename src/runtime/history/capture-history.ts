import { AppError } from '../../model/app-error.js'
import type { HistoryAccount, HistoryProgress, HistoryReport, HistoryTarget } from '../../model/platforms/history.js'
import { toTimestamp } from '../../model/timestamp.js'
import { type ApiCalls, openHistory } from '../../platforms/history/open-history.js'
import type { LocalSettings } from '../../settings/local-settings.js'
import { openLedger } from '../open-ledger.js'
import { pause } from '../pause.js'
import { ledgerViaServerOrFile } from '../via-server-or-file.js'
import { HistoryCheckpoint, type ListProgress } from './history-checkpoint.js'
import { type HistoryLedger, openHistoryLedger, servedHistoryLedger } from './history-ledger.js'
import { recordHistory } from './record-history.js'

interface HistoryRequest {
  target: HistoryTarget
  /** RFC 3339 in UTC, six digits. */
  since: string
  account: HistoryAccount
  /** Forget the progress of an earlier run. */
  restart: boolean
  onProgress: (progress: HistoryProgress) => void
  /** Waits between requests if the platform asks for it or has failed. @throws the signal's reason once aborted */
  sleep?: ApiCalls['sleep']
}

/** Lists show some items late, and clocks differ. Items that are read again are recognised. */
const OVERLAP_MS = 600_000

/**
 * Reads the past events of a place, and records them in the ledger: through the server that has it open, else in its
 * file. Only this process contacts the platform, so the token stays in it.
 *
 * @throws AppError as `HistoryApi`; `not_found/ledger_missing`, `conflict/ledger_owned`
 *
 * Source: docs/decisions/0080, 0090.
 */
export function captureHistory(settings: LocalSettings, request: HistoryRequest): Promise<HistoryReport> {
  // We asked the platform ourselves. Without an account, anyone on the network could have answered for a server without
  // TLS.
  const verified = request.account.token === undefined ? 'none' : 'login'
  return ledgerViaServerOrFile(settings.database, {
    server: (_, socketPath) => captureInto(servedHistoryLedger(socketPath, verified), settings, request),
    file: async () => {
      const opened = await openLedger(settings, 'command')
      const stop = new AbortController()
      // Stops as soon as this process no longer owns the ledger.
      opened.failed.catch(error => stop.abort(error))
      try {
        return await captureInto(openHistoryLedger(opened.ledger, verified), settings, request, stop.signal)
      } finally {
        await opened.close()
      }
    },
  })
}

async function captureInto(
  ledger: HistoryLedger,
  { home }: LocalSettings,
  { target, since, account, restart, onProgress, sleep = pause }: HistoryRequest,
  signal?: AbortSignal,
): Promise<HistoryReport> {
  const { source, text } = target
  const identity = { epoch: await ledger.epoch(), source, baseUrl: account.baseUrl, target: text, since }
  const checkpoint = await HistoryCheckpoint.open(home, identity)
  if (restart) await checkpoint.remove()
  const resumed = checkpoint.isResumed
  let latest: HistoryProgress = { stream: '', items: 0, created: 0 }
  const report = (progress: HistoryProgress) => {
    latest = progress
    onProgress(progress)
  }
  const calls = {
    sleep,
    now: Date.now,
    onWait: (seconds: number) => onProgress({ ...latest, waiting_seconds: seconds }),
    signal,
  }
  const open = (from: string) => openHistory(target, { account, since: from, isPoll: false, calls })
  const { history, clockAheadMs, close } = await open(since)
  const opened = [close]
  const openedAt = calls.now()
  // The clock of a forum is known only from the answers with its lists.
  const begin = () => checkpoint.begin(toTimestamp((Math.floor(openedAt + clockAheadMs()) - OVERLAP_MS) * 1_000))
  const progress: ListProgress = {
    of: stream => checkpoint.of(stream),
    save: async (stream, to) => {
      begin()
      await checkpoint.save(stream, to)
    },
  }
  try {
    // An interrupted run may have read a list to its end, or from its newest end, before the latest events happened.
    const begunAt = resumed ? begin() : undefined
    const later = begunAt === undefined ? undefined : await open(begunAt > since ? begunAt : since)
    if (later) opened.push(later.close)
    const parts = { ledger, checkpoint: progress, clock: () => performance.now(), onProgress: report }
    const lists = { streams: history.streams, later: later?.history.streams ?? [] }
    const counts = await recordHistory(lists, parts)
    await checkpoint.remove()
    return { target: text, source, since, resumed, ...counts, missing: history.missing }
  } catch (error) {
    // The error to report is the loss of the ledger, not the aborted request.
    if (signal?.aborted && !(error instanceof AppError)) throw signal.reason
    throw error
  } finally {
    for (const each of opened) each()
  }
}
