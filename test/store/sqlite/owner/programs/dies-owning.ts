/**
 * Acquires and releases a ledger, and is killed just before the n-th step that changes the disk.
 * Arguments: database, n. Prints `survived` when there are fewer steps.
 */
import promises from 'node:fs/promises'
import { deathAt, interceptFiles } from './file-steps.js'

const [, , database = '', step = '0'] = process.argv

interceptFiles(
  promises,
  ['mkdir', 'open', 'writeFile', 'rename', 'unlink', 'rm', 'rmdir', 'utimes'],
  deathAt(Number(step)),
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
console.log('survived')
