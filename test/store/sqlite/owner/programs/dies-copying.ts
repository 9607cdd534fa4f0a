/**
 * Copies a legacy ledger, and is killed just before the n-th step that changes the disk.
 * Arguments: legacy, database, n. Prints `survived` when there are fewer steps.
 */
import fs from 'node:fs'
import promises from 'node:fs/promises'
import { deathAt, interceptFiles } from './file-steps.js'

const [, , legacy = '', database = '', step = '0'] = process.argv
const die = deathAt(Number(step))

interceptFiles(promises, ['open', 'rename', 'unlink', 'rm'], die)
interceptFiles(
  fs,
  ['open', 'write', 'writeSync', 'openSync', 'ftruncateSync', 'unlinkSync', 'mkdirSync', 'rmdirSync'],
  die,
)

const { copyLegacyLedger } = await import('../../../../../src/store/sqlite/upgrade/legacy.js')
await copyLegacyLedger({ legacy, database })
console.log('survived')
