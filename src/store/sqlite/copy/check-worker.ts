/** Entry of the thread that checks a copy, which takes seconds for a large one. */
import { parentPort, workerData } from 'node:worker_threads'
import { toFailure } from '../../../model/failure.js'
import type { CheckReply } from './check-copy.js'
import { checkCopiedLedger } from './copied-ledger.js'

if (!parentPort) throw new Error('This module runs as a worker thread.')
parentPort.postMessage(check(String(workerData)))

function check(path: string): CheckReply {
  try {
    return { copied: checkCopiedLedger(path) }
  } catch (error) {
    return { error: toFailure(error) }
  }
}
