import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { type Failure, fromFailure } from '../../../model/failure.js'
import { removeBeside } from '../files/remove-copy.js'
import type { CopiedLedger } from './copied-ledger.js'

export type CheckReply = { copied: CopiedLedger } | { error: Failure }

/**
 * `checkCopiedLedger` in a thread of its own.
 *
 * @param path of a copy that this process has just made: one file
 * @throws AppError `unavailable/store_corrupt`; an `AbortError`
 */
export async function checkCopy(path: string, signal?: AbortSignal): Promise<CopiedLedger> {
  // Those of a killed process: SQLite would find the copy locked, or roll a journal of another copy back into it.
  await removeBeside(path)
  const worker = new Worker(new URL('./check-worker.js', import.meta.url), { workerData: path })
  try {
    const [reply] = (await once(worker, 'message', signal ? { signal } : {})) as [CheckReply]
    if ('error' in reply) throw fromFailure(reply.error)
    return reply.copied
  } finally {
    await worker.terminate()
    await removeBeside(path) // if the thread could not close the copy
  }
}
