/** Entry of the store's thread, the only place where the database is open. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { AppError } from '../../../model/app-error.js'
import { toFailure } from '../../../model/failure.js'
import { Engine } from '../engine.js'
import { joinWrites } from '../files/joined-writes.js'
import type { StoreLost } from './protocol.js'
import { Scheduler } from './scheduler.js'
import type { LedgerFile, StoreOpened } from './store-thread.js'
import { kindsOf } from './task.js'

if (parentPort) openInThread(parentPort, workerData)

/** Opens the ledger in this thread, and carries out the requests that the port receives, until `close`. */
export function openInThread(port: MessagePort, { path, ownerNonce, upgradeCopy }: LedgerFile): void {
  try {
    joinWrites()
    const onLost = (error: AppError, isOver: boolean) =>
      port.postMessage({ database: path, lost: toFailure(error), isOver } satisfies StoreLost)
    const engine = new Engine(path, { ownerNonce, onLost, upgradeCopy })
    const opened: StoreOpened = { ...engine.facts, kinds: kindsOf(engine.tasks) }
    port.postMessage([{ id: 0, result: opened }])
    new Scheduler(engine, port)
  } catch (error) {
    port.postMessage([{ id: 0, error: toFailure(error) }])
  }
}
