/** Entry of a thread of `reused-threads.ts`: runs the entry of a store's thread again and again, one after the other. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import threads, { type MessagePort, parentPort } from 'node:worker_threads'

export interface ThreadStart {
  /** URL of the module that the thread is to run. */
  file: string
  workerData: unknown
  /** Takes the place of the thread's own port. */
  parentPort: MessagePort
}

const port = parentPort
if (!port) throw new Error('This module runs as a worker thread.')
/** The thread of a ledger replaces these functions. */
const { writeSync, readSync, fsyncSync, fstatSync, ftruncateSync, closeSync } = fs
let starts = 0
port.on('message', async ({ file, ...start }: ThreadStart) => {
  start.parentPort.once('close', () => {
    Object.assign(fs, { writeSync, readSync, fsyncSync, fstatSync, ftruncateSync, closeSync })
    port.postMessage('ended')
  })
  Object.assign(threads, start)
  syncBuiltinESMExports()
  // Another address runs the module again.
  await import(`${file.replace('/src/', '/program/')}?${++starts}`)
})
