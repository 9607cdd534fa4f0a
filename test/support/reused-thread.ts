/** Entry of a thread of `reused-threads.ts`: opens the files of one store after the other. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import threads, { type MessagePort, parentPort } from 'node:worker_threads'

export interface ThreadStart {
  /** URL of the entry of a store's thread. */
  file: string
  workerData: unknown
  /** To the thread that uses the store. */
  storePort: MessagePort
}

const port = parentPort
if (!port) throw new Error('This module runs as a worker thread.')
// With a port, the entry would open the files of a store as soon as it is loaded.
Object.assign(threads, { parentPort: null })
syncBuiltinESMExports()
/** The thread of a ledger replaces these functions. */
const { writeSync, readSync, fsyncSync, fstatSync, ftruncateSync, closeSync } = fs
port.on('message', async ({ file, workerData, storePort }: ThreadStart) => {
  storePort.once('close', () => {
    Object.assign(fs, { writeSync, readSync, fsyncSync, fstatSync, ftruncateSync, closeSync })
    port.postMessage('ended')
  })
  const { openInThread } = await import(file.replace('/src/', '/program/'))
  openInThread(storePort, workerData)
})
