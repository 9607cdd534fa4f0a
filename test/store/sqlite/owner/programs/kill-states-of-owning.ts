/**
 * Acquires and releases a ledger, and saves what a kill before each step that changes the disk would leave.
 * Arguments: database, folder of the states.
 */
import promises from 'node:fs/promises'
import { dirname } from 'node:path'
import { interceptFiles, saveStates } from './file-steps.js'

const [, , database = '', states = ''] = process.argv

interceptFiles(
  promises,
  ['mkdir', 'open', 'writeFile', 'rename', 'unlink', 'rm', 'rmdir', 'utimes'],
  saveStates(dirname(database), states),
)

const { acquireOwnership } = await import('../../../../../src/store/sqlite/owner/database-lock.js')
const ownership = await acquireOwnership({
  database,
  role: 'server',
  waitMs: 0,
  now: Date.now,
  random: Math.random,
  onLost: () => {},
})
await ownership.release()
