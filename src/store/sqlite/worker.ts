/** Entry of the store's thread, the only place where the database is open. */
import { parentPort, workerData } from 'node:worker_threads'
import { toFailure } from '../../model/failure.js'
import { Engine } from './engine.js'
import { joinWrites } from './joined-writes.js'
import type { StoreOpened } from './protocol.js'
import { Scheduler } from './scheduler.js'

if (!parentPort) throw new Error('This module runs as a worker thread.')
try {
  joinWrites()
  const engine = new Engine((workerData as { path: string }).path)
  const opened: StoreOpened = { epoch: engine.epoch, schemaVersion: engine.schemaVersion }
  parentPort.postMessage([{ id: 0, result: opened }])
  new Scheduler(engine, parentPort)
} catch (error) {
  parentPort.postMessage([{ id: 0, error: toFailure(error) }])
}
