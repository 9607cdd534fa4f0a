/**
 * Takes a ledger and lets go of it, and is killed just before the n-th step that changes something on the disk. Writing
 * a file is two steps: half of it, and all of it. Arguments: database, n. Prints `survived` when there are fewer steps.
 */
import { writeFileSync } from 'node:fs'
import { interceptFiles } from './file-steps.js'

const [, , database = '', diesAt = '0'] = process.argv
let step = 0

function die(): void {
  process.kill(process.pid, 'SIGKILL')
}

interceptFiles(
  ['mkdir', 'open', 'writeFile', 'rename', 'unlink', 'rm', 'rmdir'],
  async (name, [path, content], run) => {
    step += 1
    if (step === Number(diesAt)) die()
    if (name === 'writeFile') {
      step += 1
      if (step === Number(diesAt)) {
        writeFileSync(String(path), String(content).slice(0, 40))
        die()
      }
    }
    return run()
  },
)

const { acquireOwnership } = await import('../../../../src/store/sqlite/owner.js')
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
