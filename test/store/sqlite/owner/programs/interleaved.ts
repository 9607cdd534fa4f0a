/**
 * Lets several candidates for one ledger run with their file operations in an order drawn from a seed, one operation at
 * a time, and checks that two never own it. Arguments: folder, first seed, number of seeds. Prints `done`, or the seed
 * that failed.
 */

import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import { interceptFiles } from './file-steps.js'

const CANDIDATES = 3
const [, , folder = '', firstSeed = '1', seeds = '1'] = process.argv
/** Operations that wait for their turn. */
const waiting: (() => void)[] = []
/** Candidates that have not ended. */
let running = 0
let changed = () => {}
let random = seeded(0)

/** mulberry32 */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function turn(): Promise<void> {
  return new Promise(resolve => {
    waiting.push(resolve)
    changed()
  })
}

interceptFiles(promises, ['open', 'readdir', 'writeFile', 'rename', 'unlink', 'rm', 'rmdir', 'mkdir'], turn)
// Sleeping is one more operation whose end comes when it is drawn.
Object.assign(timers, { setTimeout: turn })
syncBuiltinESMExports()

const { acquireOwnership } = await import('../../../../../src/store/sqlite/owner/database-lock.js')
const { readOwner } = await import('../../../../../src/store/sqlite/owner/owner-record.js')

async function candidate(database: string, inside: { count: number }): Promise<void> {
  const ownership = await acquireOwnership({
    database,
    role: 'command',
    waitMs: 60_000,
    now: Date.now,
    random,
    onLost: () => {
      throw new Error('lost')
    },
  })
  inside.count += 1
  if (inside.count > 1) throw new Error(`${inside.count} inside`)
  for (let stay = 0; stay < 10; stay += 1) await turn()
  const owner = await readOwner(database)
  if (owner?.nonce !== ownership.record.nonce) throw new Error('the record of the owner was replaced')
  inside.count -= 1
  await ownership.release()
}

for (let seed = Number(firstSeed); seed < Number(firstSeed) + Number(seeds); seed += 1) {
  random = seeded(seed)
  const inside = { count: 0 }
  let failure: unknown
  running = CANDIDATES
  for (let started = 0; started < CANDIDATES; started += 1) {
    candidate(`${folder}/${seed}.db`, inside)
      .catch(error => {
        failure ??= error
      })
      .finally(() => {
        running -= 1
        changed()
      })
  }
  while (running > 0 && failure === undefined) {
    // Only when every candidate waits is each order of their next operations equally likely.
    if (waiting.length < running) {
      await new Promise<void>(resolve => {
        changed = resolve
      })
    } else waiting.splice(Math.floor(random() * waiting.length), 1)[0]?.()
  }
  if (failure !== undefined) {
    console.log(`seed ${seed}: ${failure}`)
    process.exit(3)
  }
}
console.log('done')
