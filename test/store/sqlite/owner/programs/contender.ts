/**
 * Acquires and releases the ledger in a loop. While it is the owner, no other process may be: it marks that with a link that
 * can only be created once and names the process, which shows whether the process of a mark was killed.
 *
 * Arguments: database, rounds. Prints `round` for each; exit code 3 when two were inside.
 */
import { readlinkSync, symlinkSync, unlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { acquireOwnership } from '../../../../../src/store/sqlite/owner/database-lock.js'
import { processState } from '../../../../../src/store/sqlite/owner/process-identity.js'

const [, , database = '', rounds = '1'] = process.argv
const mark = `${database}.inside`

async function enter(): Promise<void> {
  for (;;) {
    try {
      symlinkSync(String(process.pid), mark)
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const other = readlinkSync(mark)
    const state = await processState(Number(other))
    if (state === 'gone' || (state !== 'hidden' && state.isZombie)) {
      unlinkSync(mark)
      continue
    }
    console.error(`process ${process.pid} found process ${other} inside`)
    process.exit(3)
  }
}

for (let round = 0; round < Number(rounds); round += 1) {
  const ownership = await acquireOwnership({
    database,
    role: 'command',
    waitMs: 60_000,
    now: Date.now,
    random: Math.random,
    onLost: () => {
      console.error(`process ${process.pid} lost the ledger`)
      process.exit(4)
    },
  })
  await enter()
  await sleep(Math.random() * 3)
  unlinkSync(mark)
  await ownership.release()
  console.log('round')
}
