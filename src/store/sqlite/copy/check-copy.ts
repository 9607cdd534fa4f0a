import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { type Failure, fromFailure } from '../../../model/failure.js'
import type { CopiedLedger } from './copied-ledger.js'

export type CheckReply = { copied: CopiedLedger } | { error: Failure }

/** `checkCopiedLedger` in a thread of its own. @throws AppError `unavailable/store_corrupt`; an `AbortError` */
export async function checkCopy(path: string, signal?: AbortSignal): Promise<CopiedLedger> {
  const worker = new Worker(new URL('./check-worker.js', import.meta.url), { workerData: path })
  try {
    const [reply] = (await once(worker, 'message', signal ? { signal } : {})) as [CheckReply]
    if ('error' in reply) throw fromFailure(reply.error)
    return reply.copied
  } finally {
    await worker.terminate()
    // SQLite's, if the thread could not close the copy.
    for (const suffix of ['.lock', '-wal', '-journal']) await rm(`${path}${suffix}`, { recursive: true, force: true })
  }
}
